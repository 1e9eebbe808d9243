import { useRef } from "preact/hooks";
import { dictionary } from "../languages/words.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

const words = dictionary(
  {
    contested: "Somebody else has changed this while you were typing. Saving replaces what they wrote:",
    takeTheirs: "Take theirs",
    nothing: "empty",
  },
  {
    contested:
      "Outra pessoa alterou isto enquanto você digitava. Ao salvar, você substitui o que ela escreveu:",
    takeTheirs: "Usar o dela",
    nothing: "vazio",
  },
  {
    contested:
      "Otra persona cambió esto mientras usted escribía. Al guardar, reemplaza lo que escribió esa persona:",
    takeTheirs: "Usar lo suyo",
    nothing: "vacío",
  },
);

/** A part of a form that two people have changed, with what the other one has saved. */
export interface ContestedPart {
  readonly label: string;
  readonly text: string;
  readonly onTake: () => void;
}

/** What somebody else has saved meanwhile, and saving would replace. */
export function ContestedNotice({ parts }: { readonly parts: readonly ContestedPart[] }) {
  const t = words();
  const heading = useRef<HTMLParagraphElement>(null);
  if (parts.length === 0) return null;
  return (
    <Notice tone="warning">
      <p role="status" ref={heading} tabIndex={-1}>
        {t.contested}
      </p>
      <ul>
        {parts.map(({ label, text, onTake }) => (
          <li key={label}>
            {label}: {shortened(text) || t.nothing}{" "}
            <Button
              onClick={() => {
                onTake();
                heading.current?.focus();
              }}
            >
              {t.takeTheirs}
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const MOST_SHOWN = 200;

function shortened(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
