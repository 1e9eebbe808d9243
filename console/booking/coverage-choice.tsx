import type { Answer } from "../api/reads.ts";
import { count, fullDate } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { QuickSale } from "./quick-sale.tsx";
import { words } from "./words.ts";

export type CoverageAnswer = Answer<"/app/v1/coverage">;
type Choice = CoverageAnswer["choices"][number];

/** What a booking draws on, in words and to choose; or why nothing covers it. */
export function CoverageChoice({
  coverage,
  clientId,
  entitlementId,
  onEntitlement,
  isSelling,
  onSelling,
}: {
  readonly coverage: CoverageAnswer;
  readonly clientId: string;
  /** Whether something that covers it is being sold, in the place of what else could be done. */
  readonly isSelling: boolean;
  readonly onSelling: (isSelling: boolean) => void;
  readonly entitlementId: string | undefined;
  readonly onEntitlement: (id: string) => void;
}) {
  const t = words();
  const chosen =
    coverage.choices.find((choice) => choice.entitlementId === entitlementId) ?? coverage.choices[0];
  if (!chosen)
    return (
      <>
        <Notice tone="warning">
          <p>{coverage.reasons.length === 0 ? t.noContract : t.notCovered}</p>
          <WhyNot coverage={coverage} />
        </Notice>
        {isSelling ? (
          <QuickSale clientId={clientId} onDone={() => onSelling(false)} />
        ) : (
          <div>
            <Button icon="ticket" onClick={() => onSelling(true)}>
              {t.sell}
            </Button>
          </div>
        )}
      </>
    );
  return (
    <>
      <p class="covered">
        <Icon name="ticket" /> <span>{describe(chosen)}</span>
      </p>
      {coverage.choices.length > 1 && (
        <SelectField
          label={t.drawOn}
          value={chosen.entitlementId}
          choices={coverage.choices.map((choice) => ({
            value: choice.entitlementId,
            label: describeShort(choice),
          }))}
          onChoose={onEntitlement}
        />
      )}
    </>
  );
}

/** Why somebody is booked although nothing covers it: written, or one of the usual reasons. */
export function UncoveredReason({
  reason,
  onReason,
  fault,
}: {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly fault: string | undefined;
}) {
  const t = words();
  return (
    <>
      <TextField
        label={t.reason}
        hint={t.reasonHint}
        value={reason}
        onInput={onReason}
        maxLength={500}
        fault={fault}
        hasFocus
      />
      <div class="row">
        {t.usualReasons.map((usual) => (
          <Button key={usual} isSmall onClick={() => onReason(usual)}>
            {usual}
          </Button>
        ))}
      </div>
    </>
  );
}

/** Why each contract, or what it grants, does not cover a visit. */
export function WhyNot({ coverage }: { readonly coverage: Pick<CoverageAnswer, "reasons"> }) {
  const t = words();
  const lines = new Map(
    coverage.reasons.map(({ planName, reason }) => {
      const line = t.whyNot(planName, t.reasons[reason as keyof typeof t.reasons] ?? reason);
      return [line, line];
    }),
  );
  return lines.size === 0 ? null : (
    <ul>
      {[...lines.keys()].map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function describe({ type, planName, remainingCredits = 0, endDate }: Choice): string {
  const t = words();
  const until = endDate === undefined ? "" : t.until(fullDate(endDate));
  return type === "credits"
    ? t.drawsCredit(planName, count(remainingCredits - 1), remainingCredits - 1, until)
    : t.drawsAccess(planName, until);
}

function describeShort({ type, planName, remainingCredits = 0 }: Choice): string {
  return type === "credits" ? words().choiceCredits(planName, count(remainingCredits)) : planName;
}
