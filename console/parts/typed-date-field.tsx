import { useRef, useState } from "preact/hooks";
import { localIn, longDate } from "../languages/format.ts";
import { homeZone } from "../languages/home-zone.ts";
import { readDate, stepDate, writeDate } from "../languages/typed-dates.ts";
import { dictionary, language } from "../languages/words.ts";
import { DatePicker } from "./date-picker.tsx";
import { Icon } from "./icon.tsx";
import { useSegments } from "./segments.ts";
import { TypedField, type TypedFieldProps, useTyped } from "./typed-field.tsx";
import "./date-field.css";

const words = dictionary(
  {
    form: "dd/mm/yyyy",
    wrong: "Write a day such as 18/11/2026.",
    tooEarly: (first: string) => `Not before ${first}.`,
    tooLate: (last: string) => `Not after ${last}.`,
    open: "Open the calendar",
  },
  {
    form: "dd/mm/aaaa",
    wrong: "Escreva um dia como 18/11/2026.",
    tooEarly: (first: string) => `Não antes de ${first}.`,
    tooLate: (last: string) => `Não depois de ${last}.`,
    open: "Abrir o calendário",
  },
  {
    form: "dd/mm/aaaa",
    wrong: "Escriba un día como 18/11/2026.",
    tooEarly: (first: string) => `No antes del ${first}.`,
    tooLate: (last: string) => `No después del ${last}.`,
    open: "Abrir el calendario",
  },
);

const PARTS = ["day", "month", "year"] as const;

/**
 * A date as people write it, the day first, whatever the browser's own language: "18/11" and "18 nov" are all right, arrow keys
 * step the part with the caret, and Alt with the arrow down opens a calendar. The value is `2026-11-18`, or empty while it is
 * none.
 */
export function DateField({
  value,
  onInput,
  onDone,
  min,
  max,
  ...field
}: TypedFieldProps & {
  /** What was typed is whole, or a day was chosen. */
  readonly onDone?: (value: string) => void;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}) {
  const t = words();
  const today = localIn(Date.now(), homeZone.value).slice(0, 10);
  const typed = useTyped(value, {
    write: writeDate,
    read: (text, isWhole) => readDate(text, { today, language: language.value, isWhole, min, max }),
    onValue: onInput,
  });
  const segments = useSegments((part, by) =>
    typed.set(value === "" ? today : stepDate(value, PARTS[part] ?? "day", by)),
  );
  const wasOpen = useRef(false);
  const [isOpen, setOpen] = useState(false);
  const [hasCaret, setCaret] = useState(false);
  const wrong = typed.isUnread
    ? t.wrong
    : value !== "" && min && value < min
      ? t.tooEarly(writeDate(min))
      : value !== "" && max && value > max
        ? t.tooLate(writeDate(max))
        : undefined;
  return (
    <TypedField
      {...field}
      {...{ typed, segments, wrong, onDone }}
      placeholder={t.form}
      maxLength={40}
      onCaret={setCaret}
      onOpen={() => setOpen(true)}
    >
      {(input) => (
        <div class="date-field">
          {input}
          <button
            type="button"
            class="icon-button"
            aria-label={t.open}
            title={t.open}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            // The browser has closed it by the time of the click.
            onPointerDown={() => {
              wasOpen.current = isOpen;
            }}
            onClick={() => {
              setOpen(!wasOpen.current);
              wasOpen.current = false;
            }}
          >
            <Icon name="calendar" />
          </button>
          {/* What the browser's own field would say: which day it is. */}
          <span class="for-readers" role="status">
            {hasCaret && value !== "" ? longDate(value) : ""}
          </span>
          {isOpen && (
            <DatePicker
              value={value}
              today={today}
              min={min}
              max={max}
              beside={segments.input}
              onChoose={(date) => {
                typed.set(date);
                onDone?.(date);
                setOpen(false);
                segments.input.current?.focus();
              }}
              onClose={() => setOpen(false)}
            />
          )}
        </div>
      )}
    </TypedField>
  );
}
