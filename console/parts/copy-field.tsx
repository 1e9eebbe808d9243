import { useId, useState } from "preact/hooks";
import { dictionary } from "../languages/words.ts";
import { Button } from "./button.tsx";

const words = dictionary(
  { copy: "Copy", copied: "Copied", byHand: "Press Ctrl C or ⌘ C to copy." },
  { copy: "Copiar", copied: "Copiado", byHand: "Pressione Ctrl C ou ⌘ C para copiar." },
  { copy: "Copiar", copied: "Copiado", byHand: "Pulse Ctrl C o ⌘ C para copiar." },
);

/** A text to take along, such as a link or a key that is shown once. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const t = words();
  const id = useId();
  const [state, setState] = useState<"copied" | "by_hand">();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setState("copied");
    } catch {
      // Browsers may refuse it, and pages without https have no clipboard: then it is there to be copied by hand.
      const input = document.getElementById(id);
      if (input instanceof HTMLInputElement) input.select();
      setState("by_hand");
    }
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy-field">
        <input
          id={id}
          class="input code"
          readOnly
          value={value}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button icon={state === "copied" ? "check" : "copy"} onClick={() => void copy()}>
          {state === "copied" ? t.copied : t.copy}
        </Button>
      </div>
      <p class="field-hint" role="status">
        {state === "by_hand" ? t.byHand : ""}
      </p>
    </div>
  );
}
