import { language } from "../../languages/words.ts";
import { DateField } from "../../parts/date-field.tsx";
import { ChecksField, ChoiceField, SelectField, TextField } from "../../parts/field.tsx";
import { inOrder, ORDINALS, type Repeat, WEEKDAYS } from "../../recurrence/repeat.ts";
import { ordinalName, weekdayName } from "../../recurrence/repeat-words.ts";
import { words } from "./words.ts";

const MONTH_DAYS = [...Array.from({ length: 31 }, (_, day) => day + 1), -1];

/** How a class repeats, as choices. */
export function RepeatFields({
  repeat,
  weekStart,
  onChange,
}: {
  readonly repeat: Repeat;
  readonly weekStart: number;
  readonly onChange: (repeat: Repeat) => void;
}) {
  const t = words();
  const { every, interval, end } = repeat;
  const set = (changes: Partial<Repeat>) => onChange({ ...repeat, ...changes });
  const order = WEEKDAYS.map((day) => (day + weekStart) % 7);
  return (
    <>
      <div class="columns">
        <SelectField
          label={t.repeats}
          value={every}
          choices={(["week", "day", "month", "once"] as const).map((value) => ({
            value,
            label: t.every[value],
          }))}
          onChoose={(value) => set({ every: value })}
        />
        {every !== "once" && (
          <TextField
            label={t.interval[every]}
            type="number"
            min={1}
            value={Number.isNaN(interval) ? "" : String(interval)}
            onInput={(value) => set({ interval: value === "" ? Number.NaN : Number(value) })}
          />
        )}
      </div>
      {every === "week" && (
        <div class="weekday-checks">
          <ChecksField
            label={t.weekdays}
            values={repeat.weekdays.map(String)}
            choices={order.map((day) => ({ value: String(day), label: weekdayName(day, language.value) }))}
            onChange={(values) => set({ weekdays: values.map(Number).sort((a, b) => a - b) })}
          />
        </div>
      )}
      {every === "month" && (
        <>
          <ChoiceField
            label={t.monthBy}
            value={repeat.monthBy}
            choices={[
              { value: "day", label: t.monthByDay },
              { value: "weekday", label: t.monthByWeekday },
            ]}
            onChoose={(monthBy) => set({ monthBy })}
          />
          {repeat.monthBy === "day" ? (
            <SelectField
              label={t.monthDay}
              value={String(repeat.monthDay)}
              choices={MONTH_DAYS.map((day) => ({
                value: String(day),
                label: day < 0 ? t.lastDayOfMonth : String(day),
              }))}
              onChoose={(value) => set({ monthDay: Number(value) })}
            />
          ) : (
            <>
              <div class="weekday-checks">
                <ChecksField
                  label={t.ordinals}
                  values={repeat.ordinals.map(String)}
                  choices={ORDINALS.map((ordinal) => ({
                    value: String(ordinal),
                    label: ordinalName(ordinal, language.value),
                  }))}
                  onChange={(values) => set({ ordinals: inOrder(values.map(Number)) })}
                />
              </div>
              <SelectField
                label={t.monthWeekday}
                value={String(repeat.monthWeekday)}
                choices={order.map((day) => ({
                  value: String(day),
                  label: weekdayName(day, language.value),
                }))}
                onChoose={(value) => set({ monthWeekday: Number(value) })}
              />
            </>
          )}
        </>
      )}
      {every !== "once" && (
        <div class="columns">
          <SelectField
            label={t.ends}
            value={end.kind}
            choices={(["never", "on", "after"] as const).map((value) => ({
              value,
              label: t.endKinds[value],
            }))}
            onChoose={(kind) =>
              set({
                end:
                  kind === "never"
                    ? { kind }
                    : kind === "on"
                      ? { kind, date: "" }
                      : { kind, times: FIRST_TIMES },
              })
            }
          />
          {end.kind === "on" && (
            <DateField
              label={t.endDate}
              value={end.date}
              onInput={(date) => set({ end: { kind: "on", date } })}
            />
          )}
          {end.kind === "after" && (
            <TextField
              label={t.endTimes}
              type="number"
              min={1}
              value={Number.isNaN(end.times) ? "" : String(end.times)}
              onInput={(value) =>
                set({ end: { kind: "after", times: value === "" ? Number.NaN : Number(value) } })
              }
            />
          )}
        </div>
      )}
    </>
  );
}

const FIRST_TIMES = 10;
