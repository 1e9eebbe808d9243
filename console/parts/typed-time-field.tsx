import { readTime, stepTime } from "../languages/typed-dates.ts";
import { dictionary } from "../languages/words.ts";
import { Field, type FieldProps } from "./field.tsx";
import { useFocus } from "./focus.ts";
import { useSegments } from "./segments.ts";
import { useRefused, useTyped } from "./typed-field.ts";

const words = dictionary(
  { wrong: "Write a time such as 07:30." },
  { wrong: "Escreva um horário como 07:30 ou 7h30." },
  { wrong: "Escriba una hora como 07:30." },
);

/**
 * A time of the day as people write it, whatever the browser's own language: "7h30", "730" and "7:30 pm" are all right. The value
 * is `07:30`, or empty while it is none.
 */
export function TimeField({
  value,
  onInput,
  isRequired,
  hasFocus,
  fault,
  ...field
}: FieldProps & {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
}) {
  const t = words();
  const typed = useTyped(value, { write: (time) => time, read: readTime, onValue: onInput });
  const { input, onKeyDown } = useSegments((part, by) =>
    typed.set(value === "" ? "09:00" : stepTime(value, part === 0 ? "hour" : "minute", by)),
  );
  const focus = useFocus<HTMLInputElement>(hasFocus);
  const wrong = typed.isUnread ? t.wrong : undefined;
  useRefused(input, wrong);
  const shownFault = fault ?? (typed.isLeft ? wrong : undefined);
  return (
    <Field {...field} fault={shownFault}>
      {(id, described) => (
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
          maxLength={12}
          placeholder="00:00"
          required={isRequired}
          value={typed.text}
          aria-describedby={described}
          aria-invalid={shownFault ? true : undefined}
          onInput={(event) => typed.onInput(event.currentTarget.value)}
          onBlur={typed.finish}
          onKeyDown={(event) => {
            if (event.key === "Enter") typed.enter(event);
            onKeyDown(event);
          }}
        />
      )}
    </Field>
  );
}
