import { useMe } from "../frame/me.ts";
import { ChoiceField } from "../parts/field.tsx";
import { PAYMENT_METHODS, type PaymentMethod } from "./records.tsx";
import { moneyWords } from "./words.ts";
import "./method-field.css";

/** How money came in or goes out. Pix is Brazil's. */
export function MethodField({
  label,
  value,
  onChoose,
}: {
  readonly label: string;
  readonly value: PaymentMethod | undefined;
  readonly onChoose: (method: PaymentMethod) => void;
}) {
  const { currency } = useMe().organization;
  const offered = PAYMENT_METHODS.filter(
    (method) => method !== "pix" || currency === "BRL" || value === "pix",
  );
  return (
    <div class="methods">
      <ChoiceField
        label={label}
        value={value}
        choices={offered.map((method) => ({ value: method, label: moneyWords().methods[method] }))}
        onChoose={onChoose}
      />
    </div>
  );
}
