import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useRead } from "../api/reads.ts";
import { addDays, isDate, weekBegin } from "../languages/days.ts";
import { longDate, monthOf, weekdayOf } from "../languages/format.ts";
import { stepDate } from "../languages/typed-dates.ts";
import { dictionary } from "../languages/words.ts";
import { IconButton } from "./button.tsx";

const words = dictionary(
  { title: "Calendar", before: "Previous month", next: "Next month" },
  { title: "Calendário", before: "Mês anterior", next: "Próximo mês" },
  { title: "Calendario", before: "Mes anterior", next: "Mes siguiente" },
);

const WEEKS = 6;

/** A month to choose a day from: arrow keys go from day to day, Page Up and Page Down from month to month. */
export function DatePicker({
  value,
  today,
  min,
  max,
  beside,
  onChoose,
  onClose,
}: {
  readonly value: string;
  readonly today: string;
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly beside: { readonly current: HTMLElement | null };
  readonly onChoose: (date: string) => void;
  readonly onClose: () => void;
}) {
  const t = words();
  const box = useRef<HTMLDivElement>(null);
  const weekStart = useRead("/app/v1/settings").data?.weekStart ?? "monday";
  const isOffered = (date: string) => isDate(date) && (!min || date >= min) && (!max || date <= max);
  const [day, setDay] = useState(() => {
    const wanted = isDate(value) ? value : today;
    return min && wanted < min ? min : max && wanted > max ? max : wanted;
  });
  const [hasMoved, setMoved] = useState(true);
  useLayoutEffect(() => {
    const [popover, field] = [box.current, beside.current?.getBoundingClientRect()];
    if (!popover || !field) return;
    popover.showPopover();
    const below = field.bottom + 4;
    const above = field.top - popover.offsetHeight - 4;
    const top = below + popover.offsetHeight > innerHeight && above > 0 ? above : below;
    popover.style.top = `${Math.max(8, Math.min(top, innerHeight - popover.offsetHeight - 8))}px`;
    popover.style.left = `${Math.max(8, Math.min(field.left, innerWidth - popover.offsetWidth - 8))}px`;
  }, []);
  useLayoutEffect(() => {
    if (!hasMoved) return;
    setMoved(false);
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [day, hasMoved]);
  const move = (date: string) => {
    if (!isOffered(date)) return;
    setDay(date);
    setMoved(true);
  };
  const first = weekBegin(`${day.slice(0, 8)}01`, weekStart);
  const turn = (by: 1 | -1) => {
    const month = stepDate(day, "month", by);
    const [least, most] = [min ?? month, max ?? month];
    setDay(month < least ? least : month > most ? most : month);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, string> = {
      ArrowLeft: addDays(day, -1),
      ArrowRight: addDays(day, 1),
      ArrowUp: addDays(day, -7),
      ArrowDown: addDays(day, 7),
      Home: weekBegin(day, weekStart),
      End: addDays(weekBegin(day, weekStart), 6),
      PageUp: stepDate(day, event.shiftKey ? "year" : "month", -1),
      PageDown: stepDate(day, event.shiftKey ? "year" : "month", 1),
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div
      ref={box}
      popover="auto"
      class="menu date-picker"
      role="dialog"
      aria-label={t.title}
      onKeyDown={onKeyDown}
      onToggle={(event) => {
        if (event.newState !== "closed") return;
        onClose();
        // Escape, not a click elsewhere.
        if (document.activeElement === document.body || box.current?.contains(document.activeElement))
          beside.current?.focus();
      }}
    >
      <div class="date-picker-head">
        <IconButton icon="left" label={t.before} onClick={() => turn(-1)} />
        <strong aria-live="polite">{monthOf(day)}</strong>
        <IconButton icon="right" label={t.next} onClick={() => turn(1)} />
      </div>
      <table aria-label={monthOf(day)}>
        <thead>
          <tr>
            {Array.from({ length: 7 }, (_, place) => addDays(first, place)).map((date) => (
              <th key={date} scope="col" abbr={weekdayOf(date, "long")}>
                {weekdayOf(date, "narrow")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: WEEKS }, (_, week) => addDays(first, 7 * week)).map((monday) => (
            <tr key={monday}>
              {Array.from({ length: 7 }, (_, place) => addDays(monday, place)).map((date) => (
                <td key={date}>
                  <button
                    type="button"
                    class={`icon-button${date.slice(0, 7) === day.slice(0, 7) ? "" : " date-picker-other"}`}
                    tabIndex={date === day ? 0 : -1}
                    disabled={!isOffered(date)}
                    aria-label={longDate(date)}
                    aria-current={date === today ? "date" : undefined}
                    aria-pressed={date === value}
                    onClick={() => onChoose(date)}
                  >
                    {Number(date.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
