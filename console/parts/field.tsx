import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { useFocus } from "./focus.ts";

export interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with it, as the server says. */
  readonly fault?: string | undefined;
  readonly isOptional?: boolean;
  /** Where its place alone says what it is; readers of screens hear the label. */
  readonly isLabelHidden?: boolean;
}

/** A label, a control, a hint and what is wrong, tied together for readers of screens. */
export function Field({
  label,
  isLabelHidden,
  hint,
  fault,
  children,
}: FieldProps & { readonly children: (id: string, described: string | undefined) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div class={fault ? "field field-faulty" : "field"}>
      <label for={id} class={isLabelHidden ? "for-readers" : undefined}>
        {label}
      </label>
      {children(id, described === "" ? undefined : described)}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="field-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "email" | "password" | "tel" | "search" | "number" | "url";
  readonly name?: string;
  readonly autocomplete?: "username" | "current-password" | "new-password" | "off";
  readonly inputMode?: "numeric" | "decimal" | "tel" | "email";
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly hasFocus?: boolean;
  readonly min?: string | number | undefined;
  readonly max?: string | number | undefined;
  readonly step?: string | number;
  readonly maxLength?: number;
  readonly placeholder?: string;
}

export function TextField({
  value,
  onInput,
  type = "text",
  name,
  autocomplete,
  inputMode,
  isRequired,
  isDisabled,
  hasFocus,
  min,
  max,
  step,
  maxLength,
  placeholder,
  ...field
}: TextFieldProps) {
  const input = useFocus<HTMLInputElement>(hasFocus);
  return (
    <Field {...field}>
      {(id, described) => (
        <input
          {...({
            id,
            ref: input,
            class: "input",
            type,
            name,
            value,
            autocomplete: autocomplete ?? "off",
            inputMode,
            required: isRequired,
            disabled: isDisabled,
            autofocus: hasFocus,
            min,
            max,
            step,
            maxLength,
            placeholder,
            "aria-describedby": described,
            "aria-invalid": field.fault ? true : undefined,
            // Preact's type is a union over every kind of input, and this one is chosen by the caller.
          } as InputHTMLAttributes<HTMLInputElement>)}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextArea({
  value,
  onInput,
  rows = 3,
  maxLength,
  ...field
}: FieldProps & {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly rows?: number;
  readonly maxLength?: number;
}) {
  return (
    <Field {...field}>
      {(id, described) => (
        <textarea
          id={id}
          class="input"
          rows={rows}
          maxLength={maxLength}
          value={value}
          aria-describedby={described}
          aria-invalid={field.fault ? true : undefined}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  /** The heading that it stands under in a list of choices. */
  readonly group?: string | undefined;
}

export function SelectField<Value extends string>({
  value,
  choices,
  onChoose,
  isDisabled,
  ...field
}: FieldProps & {
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onChoose: (value: Value) => void;
  readonly isDisabled?: boolean;
}) {
  return (
    <Field {...field}>
      {(id, described) => (
        <select
          id={id}
          class="input select"
          value={value}
          disabled={isDisabled}
          aria-describedby={described}
          aria-invalid={field.fault ? true : undefined}
          onChange={(event) => onChoose(event.currentTarget.value as Value)}
        >
          {groupsOf(choices).map(([group, members]) => {
            const options = members.map((choice) => (
              <option key={choice.value} value={choice.value} selected={choice.value === value}>
                {choice.label}
              </option>
            ));
            return group === undefined ? (
              options
            ) : (
              <optgroup key={group} label={group}>
                {options}
              </optgroup>
            );
          })}
        </select>
      )}
    </Field>
  );
}

/** Choices under their headings, in the order in which they come. */
function groupsOf<Value extends string>(
  choices: readonly Choice<Value>[],
): readonly [string | undefined, readonly Choice<Value>[]][] {
  const groups = new Map<string | undefined, Choice<Value>[]>();
  for (const choice of choices) {
    const members = groups.get(choice.group);
    if (members) members.push(choice);
    else groups.set(choice.group, [choice]);
  }
  return [...groups];
}

export function CheckField({
  label,
  isChecked,
  onChange,
  hint,
  isDisabled,
}: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly hint?: string;
  readonly isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="check-field">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint && `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A few choices of which one holds, all visible. */
export function ChoiceField<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: {
  readonly label: string;
  readonly value: Value | undefined;
  readonly choices: readonly (Choice<Value> & { readonly hint?: string })[];
  readonly onChoose: (value: Value) => void;
}) {
  const id = useId();
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <div class="choice" key={choice.value}>
          <input
            id={`${id}-${choice.value}`}
            type="radio"
            name={id}
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          <label for={`${id}-${choice.value}`}>
            {choice.label}
            {choice.hint && <span class="field-hint">{choice.hint}</span>}
          </label>
        </div>
      ))}
    </fieldset>
  );
}

/** Several choices of which any number holds. */
export function ChecksField({
  label,
  values,
  choices,
  onChange,
  hint,
  fault,
}: FieldProps & {
  readonly values: readonly string[];
  readonly choices: readonly Choice[];
  readonly onChange: (values: readonly string[]) => void;
}) {
  const id = useId();
  return (
    <fieldset class={fault ? "choices field-faulty" : "choices"} aria-describedby={fault && `${id}-fault`}>
      <legend>{label}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      {choices.map((choice) => (
        <CheckField
          key={choice.value}
          label={choice.label}
          isChecked={values.includes(choice.value)}
          onChange={(isChecked) =>
            onChange(
              isChecked ? [...values, choice.value] : values.filter((chosen) => chosen !== choice.value),
            )
          }
        />
      ))}
      {fault && (
        <p class="field-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
