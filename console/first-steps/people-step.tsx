import { useState } from "preact/hooks";
import { Problem } from "../api/problem.ts";
import { useRead } from "../api/reads.ts";
import { showToast } from "../api/toasts.ts";
import { write } from "../api/writes.ts";
import { count } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { TextArea } from "../parts/field.tsx";
import { Notice } from "../parts/notice.tsx";
import { StepForm, type StepProps } from "./step-form.tsx";
import { words } from "./words.ts";

/** Clients from a spreadsheet, or a few that are typed. */
export function PeopleStep({ onDone, onSkip, onKeep }: StepProps) {
  const t = words();
  const place = useRead("/app/v1/locations").data?.data.find(({ status }) => status === "active");
  const [names, setNames] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly { readonly line: string; readonly why: string }[]>([]);
  const add = async () => {
    if (isBusy) return;
    setBusy(true);
    onKeep();
    const lines = names.split("\n").filter((line) => line.trim() !== "");
    const failed: { line: string; why: string }[] = [];
    for (const line of lines) {
      try {
        await write("addClient", { ...personOf(line), ...(place && { locationIds: [place.id] }) });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        failed.push({ line, why: error.body.errors?.[0]?.message ?? error.message });
      }
    }
    setBusy(false);
    setRefused(failed);
    // What was refused stays to be corrected.
    setNames(failed.map(({ line }) => line).join("\n"));
    const added = lines.length - failed.length;
    if (added > 0) showToast(t.peopleAdded(added, count(added)));
    if (failed.length === 0 && added > 0) onDone();
  };
  return (
    <StepForm
      text={t.peopleText}
      save={t.addPeople}
      isBusy={isBusy}
      problem={undefined}
      shown={[]}
      onSkip={onSkip}
      onSubmit={() => void add()}
    >
      <div>
        <Button icon="sheet" href="/console/import">
          {t.sheet}
        </Button>
      </div>
      {refused.length > 0 && (
        <Notice tone="bad">
          <p>{t.notAdded}</p>
          <ul>
            {refused.map(({ line, why }) => (
              <li key={line}>
                {line}: {why}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <TextArea label={t.names} hint={t.namesHint} rows={4} value={names} onInput={setNames} />
    </StepForm>
  );
}

/** "Ana Prado ana@example.com": the word with an @ is the address, the others are the name. */
function personOf(line: string): { contactName: string; contactEmail?: string } {
  const parts = line
    .trim()
    .split(/[\s,;<>]+/)
    .filter(Boolean);
  const email = parts.find((part) => part.includes("@"));
  const contactName = parts.filter((part) => part !== email).join(" ");
  return { contactName: contactName || (email ?? ""), ...(email !== undefined && { contactEmail: email }) };
}
