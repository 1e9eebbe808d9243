import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Problem } from "../../api/problem.ts";
import { showToast } from "../../api/toasts.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Combobox } from "../../parts/combobox.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { CheckField, ChoiceField, SelectField, TextArea, TextField } from "../../parts/field.tsx";
import { FURTHER_ICON_SHAPES } from "../../parts/further-icon-shapes.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { ICON_SHAPES } from "../../parts/icon-shapes.ts";
import { Menu } from "../../parts/menu.tsx";
import { Badge, Empty, Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Page, Section, Skeleton } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Toasts } from "../../parts/toast.tsx";
import { DateField } from "../../parts/typed-date-field.tsx";

// For whoever builds a screen, so in English alone: every part in its states. Open it at /console/#parts.

const TEXT = "Text of a part";
const LONG =
  "A text that is so long that it does not fit into one line of a phone and has to be broken into two or three";
const PROBLEM = new Problem({
  title: "Unprocessable",
  status: 422,
  detail: "Two values are wrong.",
  errors: [{ location: "body.other", code: "required", message: "Another member is missing." }],
});
const nothing = () => {};

/** All parts in all states, to look at and to compare pictures of. */
export default function PartsPage() {
  const [text, setText] = useState("");
  const [isDialogOpen, setDialogOpen] = useState(false);
  const [choice, setChoice] = useState<"one" | "two">("one");
  return (
    <main>
      <Page title="Parts" subtitle="Every part in its states" actions={<Button kind="main">{TEXT}</Button>}>
        <Section title="Buttons">
          {(["main", "plain", "quiet", "danger"] as const).map((kind) => (
            <div class="row" key={kind}>
              <Button kind={kind}>{TEXT}</Button>
              <Button kind={kind} icon="plus">
                {TEXT}
              </Button>
              <Button kind={kind} isDisabled>
                {TEXT}
              </Button>
              <Button kind={kind} isSmall>
                {TEXT}
              </Button>
            </div>
          ))}
          <div class="row">
            <IconButton icon="edit" label="Plain icon" onClick={nothing} />
            <IconButton icon="edit" label="Pressed icon" isPressed onClick={nothing} />
            <IconButton icon="edit" label="Disabled icon" isDisabled onClick={nothing} />
            <Menu
              label="Menu of actions"
              items={[
                { label: TEXT, icon: "edit", onChoose: nothing },
                { label: LONG, isDangerous: true, onChoose: nothing },
              ]}
            />
            <Button onClick={() => setDialogOpen(true)}>Open dialog</Button>
            <Button onClick={() => showToast(LONG, async () => {})}>Show toast</Button>
            <Button onClick={() => showToast(LONG, undefined, "problem")}>Show problem</Button>
          </div>
        </Section>
        <Section title="Fields">
          <div class="columns">
            <TextField label={TEXT} value="" onInput={nothing} hint={LONG} />
            <TextField label={TEXT} value={TEXT} onInput={nothing} fault={LONG} />
            <TextField label={TEXT} value={TEXT} onInput={nothing} isDisabled />
            <DateField label={TEXT} value="2026-11-16" onInput={nothing} />
            <SelectField label={TEXT} value="one" choices={CHOICES} onChoose={nothing} />
            <TextArea label={TEXT} value={LONG} onInput={nothing} />
            <Combobox
              label={TEXT}
              text={text}
              onText={setText}
              options={text === "" ? [] : CHOICES}
              keyOf={({ value }) => value}
              show={({ label }) => label}
              onChoose={nothing}
            />
            <ChoiceField
              label={TEXT}
              value={choice}
              choices={CHOICES.map((item) => ({ ...item, hint: LONG }))}
              onChoose={setChoice}
            />
            <CheckField label={LONG} isChecked onChange={nothing} hint={LONG} />
            <CopyField label={TEXT} value="rbk_2vYb0yXhYvO6yD3mK4u1Zf1d0nS8vJ5rQxTq7hWc9Lk" />
          </div>
        </Section>
        <Section title="Notices and badges">
          {(["info", "good", "warning", "bad"] as const).map((tone) => (
            <Notice key={tone} tone={tone}>
              {LONG}
            </Notice>
          ))}
          <ProblemNotice problem={PROBLEM} />
          <div class="row">
            {(["plain", "good", "warning", "bad", "accent"] as const).map((tone) => (
              <Badge key={tone} tone={tone}>
                {tone}
              </Badge>
            ))}
          </div>
          <Empty icon="calendar" title={TEXT} action={<Button kind="main">{TEXT}</Button>}>
            {LONG}
          </Empty>
        </Section>
        <Section title="Tables and tabs">
          <Tabs
            label="Tabs"
            current="one"
            tabs={CHOICES.map(({ value, label }) => ({ name: value, label, href: `/console/${value}` }))}
          />
          <Table
            caption="Table"
            rows={CHOICES}
            keyOf={({ value }) => value}
            columns={[
              { title: "Name", cell: ({ label }) => label },
              { title: "Number", cell: () => "1,234", isNumber: true },
              { title: "Extra", cell: () => LONG, isExtra: true },
            ]}
          />
        </Section>
        <Section title="Loading">
          <Still>
            <Skeleton lines={3} />
          </Still>
        </Section>
        <Section title="Icons">
          <div class="row">
            {(Object.keys({ ...ICON_SHAPES, ...FURTHER_ICON_SHAPES }) as IconName[]).map((name) => (
              <Icon key={name} name={name} />
            ))}
          </div>
        </Section>
      </Page>
      {isDialogOpen && (
        <Dialog title="Dialog" onClose={() => setDialogOpen(false)}>
          <p>{LONG}</p>
          <Actions>
            <Button kind="main" onClick={() => setDialogOpen(false)}>
              {TEXT}
            </Button>
            <Button onClick={() => setDialogOpen(false)}>{TEXT}</Button>
          </Actions>
        </Dialog>
      )}
      <Toasts />
    </main>
  );
}

const CHOICES = [
  { value: "one", label: "One choice" },
  { value: "two", label: "Another choice" },
] as const;

/** Something that must not be announced as busy while somebody looks at it. */
function Still({ children }: { readonly children: ComponentChildren }) {
  return <div class="card">{children}</div>;
}
