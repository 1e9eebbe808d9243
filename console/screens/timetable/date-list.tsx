import { useState } from "preact/hooks";
import { isDate } from "../../languages/days.ts";
import { fullDate, timeOf, weekdayOf } from "../../languages/format.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { DateField, TimeField } from "../../parts/date-field.tsx";
import { words } from "./words.ts";

/** Dates that are left out or added, one by one, at the time of the class unless another one is given. */
export function DateList({
  label,
  dates,
  time,
  fault,
  onChange,
}: {
  readonly label: string;
  /** Local date-times. */
  readonly dates: readonly string[];
  readonly time: string;
  readonly fault: string | undefined;
  readonly onChange: (dates: readonly string[]) => void;
}) {
  const t = words();
  const [date, setDate] = useState("");
  const [otherTime, setOtherTime] = useState<string>();
  const add = () => {
    if (!isDate(date)) return;
    const added = `${date}T${otherTime ?? time}`;
    onChange([...new Set([...dates, added])].sort());
    setDate("");
  };
  return (
    <details class="date-list" open={dates.length > 0 || fault !== undefined}>
      <summary>
        {label}
        {dates.length > 0 && ` (${dates.length})`}
      </summary>
      <ul>
        {dates.map((local) => {
          const text = `${weekdayOf(local)} ${fullDate(local)}, ${timeOf(local)}`;
          return (
            <li key={local}>
              <span>{text}</span>
              <IconButton
                icon="close"
                label={t.takeAway(text)}
                onClick={() => onChange(dates.filter((other) => other !== local))}
              />
            </li>
          );
        })}
      </ul>
      {fault && <p class="field-fault">{fault}</p>}
      <div class="row date-list-new">
        <DateField label={t.date} value={date} onInput={setDate} />
        <TimeField label={t.time} value={otherTime ?? time} onInput={setOtherTime} />
        <Button icon="plus" isDisabled={!isDate(date)} onClick={add}>
          {t.addDate}
        </Button>
      </div>
    </details>
  );
}
