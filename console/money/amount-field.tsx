import { amountText, centsOf } from "../languages/money.ts";
import { language } from "../languages/words.ts";
import { TextField } from "../parts/field.tsx";
import { dialogWords } from "./dialog-words.ts";

/** What is given as an example, in the smallest units. */
const EXAMPLE_CENTS = 28_900;

/**
 * An amount of money as it is typed, in dialogs that are fetched when they are opened. What is none is said here.
 */
export function AmountField({
  currency,
  value,
  fault,
  isRequired = false,
  ...field
}: {
  readonly currency: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly hint?: string | undefined;
  /** Of an amount that is one. */
  readonly fault: string | undefined;
  /** Whether an empty field is wrong, and not just not filled in yet. */
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
}) {
  const t = dialogWords();
  const isWrong = (isRequired || value.trim() !== "") && centsOf(value, currency) === undefined;
  return (
    <TextField
      {...field}
      label={`${t.amount} (${currency})`}
      inputMode="decimal"
      value={value}
      fault={isWrong ? t.amountFault(amountText(EXAMPLE_CENTS, currency, language.value)) : fault}
    />
  );
}
