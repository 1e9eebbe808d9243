import { useRef, useState } from "preact/hooks";
import { localIn, longDate } from "../languages/format.ts";
import { homeZone } from "../languages/home-zone.ts";
import { readDate, stepDate, writeDate } from "../languages/typed-dates.ts";
import { dictionary, language } from "../languages/words.ts";
import { DatePicker } from "./date-picker.tsx";
import { Field, type FieldProps } from "./field.tsx";
import { useFocus } from "./focus.ts";
import { Icon } from "./icon.tsx";
import { useSegments } from "./segments.ts";
import { useRefused, useTyped } from "./typed-field.ts";
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
  isRequired,
  hasFocus,
  fault,
  ...field
}: FieldProps & {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** What was typed is whole, or a day was chosen. */
  readonly onDone?: (value: string) => void;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
}) {
  const t = words();
  const today = localIn(Date.now(), homeZone.value).slice(0, 10);
  const typed = useTyped(value, {
    write: writeDate,
    read: (text, isWhole) => readDate(text, { today, language: language.value, isWhole, min, max }),
    onValue: onInput,
  });
  const { input, onKeyDown } = useSegments((part, by) =>
    typed.set(value === "" ? today : stepDate(value, PARTS[part] ?? "day", by)),
  );
  const focus = useFocus<HTMLInputElement>(hasFocus);
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
  useRefused(input, wrong);
  const shownFault = fault ?? (typed.isLeft ? wrong : undefined);
  return (
    <Field {...field} fault={shownFault}>
      {(id, described) => (
        <div class="date-field">
          <input
            id={id}
            ref={(element) => {
              input.current = element;
              focus.current = element;
            }}
            class="input"
            type="text"
            inputMode="numeric"
            autocomplete="off"
            autofocus={hasFocus}
            spellcheck={false}
            maxLength={40}
            placeholder={t.form}
            required={isRequired}
            value={typed.text}
            aria-describedby={described}
            aria-invalid={shownFault ? true : undefined}
            onInput={(event) => typed.onInput(event.currentTarget.value)}
            onFocus={() => setCaret(true)}
            onBlur={() => {
              setCaret(false);
              const final = typed.finish();
              onDone?.(final);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") onDone?.(typed.enter(event));
              if (event.altKey && event.key === "ArrowDown") {
                event.preventDefault();
                setOpen(true);
              } else onKeyDown(event);
            }}
          />
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
              beside={input}
              onChoose={(date) => {
                typed.set(date);
                onDone?.(date);
                setOpen(false);
                input.current?.focus();
              }}
              onClose={() => setOpen(false)}
            />
          )}
        </div>
      )}
    </Field>
  );
}
