import { readTime, stepTime } from "../languages/typed-dates.ts";
import { dictionary } from "../languages/words.ts";
import { useSegments } from "./segments.ts";
import { TypedField, type TypedFieldProps, useTyped } from "./typed-field.tsx";

const words = dictionary(
  { wrong: "Write a time such as 07:30." },
  { wrong: "Escreva um horário como 07:30 ou 7h30." },
  { wrong: "Escriba una hora como 07:30." },
);

/**
 * A time of the day as people write it, whatever the browser's own language: "7h30", "730" and "7:30 pm" are all right. The value
 * is `07:30`, or empty while it is none.
 */
export function TimeField({ value, onInput, ...field }: TypedFieldProps) {
  const t = words();
  const typed = useTyped(value, { write: (time) => time, read: readTime, onValue: onInput });
  const segments = useSegments((part, by) =>
    typed.set(value === "" ? "09:00" : stepTime(value, part === 0 ? "hour" : "minute", by)),
  );
  const wrong = typed.isUnread ? t.wrong : undefined;
  return <TypedField {...field} {...{ typed, segments, wrong }} placeholder="00:00" maxLength={12} />;
}
