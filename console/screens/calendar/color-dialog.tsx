import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useWrite } from "../../api/writes.ts";
import { ChoiceField, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { Catalog } from "../../sessions/catalog.ts";
import { type ColorBy, coloredThings, HUES, type Hue } from "./hues.ts";
import { words } from "./words.ts";

const AUTOMATIC = "automatic";

/** What the calendar colours sessions by, and each of their colours: the owner's choice, for everybody. */
export function ColorDialog({
  stored,
  catalog,
  onClose,
}: {
  readonly stored: Schemas["CalendarColors"];
  readonly catalog: Catalog;
  readonly onClose: () => void;
}) {
  const t = words();
  const write = useWrite("colorCalendar");
  const [by, setBy] = useState<ColorBy>(stored.by);
  const [changed, setChanged] = useState<ReadonlyMap<string, Hue | typeof AUTOMATIC>>(new Map());
  const kept = stored.colors.filter(({ id }) => !changed.has(id));
  const own = [...changed].flatMap(([id, color]) => (color === AUTOMATIC ? [] : [{ id, color }]));
  const things = coloredThings(by, [...kept, ...own], catalog).filter(({ isActive }) => isActive);
  const automatic = new Map(coloredThings(by, [], catalog).map(({ id, hue }) => [id, hue]));
  const colors = [...changed].map(([id, color]) => ({ id, color: color === AUTOMATIC ? null : color }));
  const isChanged = by !== stored.by || colors.length > 0;
  const submit = async () => {
    const input = { ...(by !== stored.by && { by }), ...(colors.length > 0 && { colors }) };
    if (!isChanged || (await write.run(input, { said: t.colorsSaved }))) onClose();
  };
  return (
    <FormDialog
      title={t.colorsTitle}
      onSubmit={() => void submit()}
      onClose={onClose}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={[]}
    >
      <ChoiceField
        label={t.colorBy}
        value={by}
        choices={(["service", "teacher", "none"] as const).map((value) => ({
          value,
          label: t.colorBys[value],
        }))}
        onChoose={setBy}
      />
      <div class="columns">
        {things.map(({ id, name, hue, isChosen }) => (
          <div key={id} class="color-row">
            <span class={`hue-spot hue-${hue}`} aria-hidden="true" />
            <SelectField<Hue | typeof AUTOMATIC>
              label={name}
              value={isChosen ? hue : AUTOMATIC}
              choices={[
                { value: AUTOMATIC, label: t.automatic(t.hues[automatic.get(id) ?? "teal"]) },
                ...HUES.map((value) => ({ value, label: t.hues[value] })),
              ]}
              onChoose={(color) => setChanged(new Map(changed).set(id, color))}
            />
          </div>
        ))}
      </div>
    </FormDialog>
  );
}
