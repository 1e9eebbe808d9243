import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Field, type FieldProps } from "./field.tsx";
import { useFocus } from "./focus.ts";
import type { useSegments } from "./segments.ts";

interface Typing {
  readonly text: string;
  /** What the text stands for; empty while it is nothing yet. */
  readonly value: string;
  /** What the form had when it was typed: one that takes no empty value still has it. */
  readonly over: string;
}

/**
 * A text that stands for a value. What was typed stays as it is until the field is left; another value from outside is written
 * in its place.
 */
export function useTyped(
  value: string,
  {
    write,
    read,
    onValue,
  }: {
    readonly write: (value: string) => string;
    /** `isWhole` once nobody types any more. */
    readonly read: (text: string, isWhole: boolean) => string | undefined;
    readonly onValue: (value: string) => void;
  },
) {
  const written = value === "" ? "" : write(value);
  const [typing, setTyping] = useState<Typing>({ text: written, value, over: value });
  // Somebody else has changed it: what was typed stood for another one.
  const text = value === typing.value || value === typing.over ? typing.text : written;
  // Once the form has it, what it had before is somebody else's.
  useEffect(() => {
    setTyping((latest) =>
      value === latest.value && value !== latest.over ? { ...latest, over: value } : latest,
    );
  }, [value, typing]);
  const [isLeft, setLeft] = useState(false);
  const take = (next: string, isWhole: boolean) => {
    const given = next.trim() === "" ? "" : read(next, isWhole);
    const after = given ?? "";
    setTyping({ text: isWhole && after !== "" ? write(after) : next, value: after, over: value });
    if (after !== value) onValue(after);
    return after;
  };
  return {
    text,
    /** There is something that stands for nothing. */
    isUnread: text.trim() !== "" && read(text, true) === undefined,
    isLeft,
    onInput: (next: string) => {
      setLeft(false);
      take(next, false);
    },
    /** The field is left, or Enter is pressed in it. Returns what it has then. */
    finish: () => {
      setLeft(true);
      return take(text, true);
    },
    /** Enter sends the form; if the value is another one only now, once the form has it. */
    enter: (event: KeyboardEvent) => {
      setLeft(true);
      const before = value;
      const after = take(text, true);
      const form = event.currentTarget instanceof HTMLInputElement ? event.currentTarget.form : null;
      if (after !== before && form) {
        event.preventDefault();
        setTimeout(() => form.requestSubmit());
      }
      return after;
    },
    set: (next: string) => {
      setTyping({ text: write(next), value: next, over: value });
      if (next !== value) onValue(next);
    },
  };
}

/** What every field of such a text takes. */
export interface TypedFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
}

/** Its input: arrow keys step its numbers, and the browser refuses the form while it has something that cannot stay. */
export function TypedField({
  typed,
  segments: { input, onKeyDown },
  wrong,
  placeholder,
  maxLength,
  onDone,
  onCaret,
  onOpen,
  children,
  isRequired,
  hasFocus,
  fault,
  ...field
}: Omit<TypedFieldProps, "value" | "onInput"> & {
  readonly typed: ReturnType<typeof useTyped>;
  readonly segments: ReturnType<typeof useSegments>;
  /** What cannot stay, as a sentence. */
  readonly wrong: string | undefined;
  readonly placeholder: string;
  readonly maxLength: number;
  /** What was typed is whole. */
  readonly onDone?: ((value: string) => void) | undefined;
  /** It has the caret, or has it no more. */
  readonly onCaret?: (hasCaret: boolean) => void;
  /** Alt with the arrow down. */
  readonly onOpen?: () => void;
  /** What stands around it, if anything does. */
  readonly children?: (input: ComponentChildren) => ComponentChildren;
}) {
  const focus = useFocus<HTMLInputElement>(hasFocus);
  useLayoutEffect(() => input.current?.setCustomValidity(wrong ?? ""), [wrong]);
  const shownFault = fault ?? (typed.isLeft ? wrong : undefined);
  return (
    <Field {...field} fault={shownFault}>
      {(id, described) => {
        const control = (
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
            maxLength={maxLength}
            placeholder={placeholder}
            required={isRequired}
            value={typed.text}
            aria-describedby={described}
            aria-invalid={shownFault ? true : undefined}
            onInput={(event) => typed.onInput(event.currentTarget.value)}
            onFocus={() => onCaret?.(true)}
            onBlur={() => {
              onCaret?.(false);
              const final = typed.finish();
              onDone?.(final);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                const final = typed.enter(event);
                onDone?.(final);
              }
              if (onOpen && event.altKey && event.key === "ArrowDown") {
                event.preventDefault();
                onOpen();
              } else onKeyDown(event);
            }}
          />
        );
        return children ? children(control) : control;
      }}
    </Field>
  );
}
