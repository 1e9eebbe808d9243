import { useState } from "preact/hooks";
import { useMay, useMe } from "../../frame/me.ts";
import { daysBetween } from "../../languages/days.ts";
import { fullDate, listOf, localIn } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Badge } from "../../parts/notice.tsx";
import { amountInWords, namesIn, priceInWords, scopeInWords } from "../../plan-words/plan-words.ts";
import { actionsOf, type ContractAction } from "./contract-actions.ts";
import { contractWords } from "./contract-words.ts";
import { addressOfClient, isRunning, type ListedContract } from "./records.ts";

const [ContractDialog] = lazyDialog(async () => (await import("./contract-dialogs.tsx")).ContractDialog);

const [CreditStatement] = lazyDialog(async () => (await import("./credit-statement.tsx")).CreditStatement);

/** A contract that ends within these days says so. */
const SOON_DAYS = 14;

interface ContractCardProps {
  readonly contract: ListedContract;
  readonly today: string;
  /** On the page of the contract the actions are buttons, and the terms can be read. */
  readonly isWhole?: boolean;
}

/** What a contract is, what is left of it, and what can be done with it. */
export function ContractCard({ contract, today, isWhole = false }: ContractCardProps) {
  const t = contractWords();
  const isManager = useMay("manager");
  const [action, setAction] = useState<ContractAction>();
  const [isStated, setStated] = useState(false);
  const actions = actionsOf(contract, today, isManager);
  return (
    <article class={isRunning(contract) ? "card contract" : "card contract contract-over"}>
      <header class="contract-head">
        <div class="row">
          {!isWhole && (
            <h2>
              <a href={addressOfClient(contract.clientId, `contracts/${contract.id}`)}>{contract.planName}</a>
            </h2>
          )}
          <ContractBadges contract={contract} today={today} />
        </div>
        {!isWhole && actions.length > 0 && (
          <Menu
            label={t.actions}
            items={actions.map((each) => ({
              label: t.does[each.word],
              icon: each.icon,
              isDangerous: each.isDangerous,
              onChoose: () => setAction(each),
            }))}
          />
        )}
      </header>
      <ul class="contract-grants" aria-label={t.covers}>
        {contract.entitlements.map((entitlement) => (
          <Grant key={entitlement.id} entitlement={entitlement} isLive={isRunning(contract)} />
        ))}
      </ul>
      {contract.entitlements.some(({ type }) => type === "credits") && (
        <div>
          <Button isSmall icon="receipt" aria-haspopup="dialog" onClick={() => setStated(true)}>
            {t.statement}
          </Button>
        </div>
      )}
      <Facts contract={contract} />
      <Pauses contract={contract} heading={isWhole ? "h2" : "h3"} />
      {isWhole && <Terms contract={contract} />}
      {isWhole && actions.length > 0 && (
        <section class="row" aria-label={t.actions}>
          {actions.map((each) => (
            <Button
              key={each.key}
              icon={each.icon}
              kind={each.isDangerous ? "danger" : "plain"}
              onClick={() => setAction(each)}
            >
              {t.does[each.word]}
            </Button>
          ))}
        </section>
      )}
      {isStated && <CreditStatement contract={contract} onClose={() => setStated(false)} />}
      {action && (
        <ContractDialog
          action={action}
          contract={contract}
          today={today}
          onClose={() => setAction(undefined)}
        />
      )}
    </article>
  );
}

const TONES = { active: "good", paused: "warning", cancelled: "plain", expired: "plain" } as const;

function ContractBadges({ contract, today }: { readonly contract: ListedContract; readonly today: string }) {
  const t = contractWords();
  const { status, startDate, endDate, cancelledAt, accessBlocked, isTrial, terms, termsResponse } = contract;
  const runs = isRunning(contract);
  const isLeaving = runs && cancelledAt !== undefined && endDate !== undefined;
  const isEnding = runs && !isLeaving && endDate !== undefined && daysBetween(today, endDate) <= SOON_DAYS;
  return (
    <>
      {runs && status === "active" && startDate > today ? (
        <Badge tone="accent">{t.later(fullDate(startDate))}</Badge>
      ) : (
        <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>
      )}
      {isTrial && <Badge>{t.trial}</Badge>}
      {isLeaving && <Badge tone="warning">{t.cancelledTo(fullDate(endDate))}</Badge>}
      {isEnding && <Badge tone="warning">{t.endsSoon(fullDate(endDate))}</Badge>}
      {runs && accessBlocked && <Badge tone="bad">{t.blocked}</Badge>}
      {runs && termsResponse === "declined" && <Badge tone="bad">{t.declined}</Badge>}
      {runs && terms !== undefined && termsResponse === undefined && (
        <Badge tone="warning">{t.unanswered}</Badge>
      )}
    </>
  );
}

function Grant({
  entitlement,
  isLive,
}: {
  readonly entitlement: ListedContract["entitlements"][number];
  readonly isLive: boolean;
}) {
  const t = contractWords();
  const { maxVisitsPerPeriod: most, visitsInPeriod = 0, period, revokedAt } = entitlement;
  const isCounted = isLive && most !== undefined && revokedAt === undefined;
  return (
    <li class={revokedAt === undefined ? undefined : "soft"}>
      <strong>{amountInWords(entitlement)}</strong> · {scopeInWords(entitlement, namesIn(entitlement))}
      {isCounted && (
        <span class="contract-left">
          {t.visitsLeft(Math.max(most - visitsInPeriod, 0), most, period ? t.periods[period] : t.ever)}
        </span>
      )}
      {revokedAt !== undefined && ` (${t.withdrawn})`}
    </li>
  );
}

function Facts({ contract }: { readonly contract: ListedContract }) {
  const t = contractWords();
  const { startDate, endDate, allLocations, locationNames } = contract;
  return (
    <dl class="client-facts">
      <div>
        <dt>{t.term}</dt>
        <dd>
          {endDate === undefined
            ? t.fromOpen(fullDate(startDate))
            : t.fromTo(fullDate(startDate), fullDate(endDate))}
        </dd>
      </div>
      <div>
        <dt>{t.price}</dt>
        <dd>{priceInWords(contract)}</dd>
      </div>
      <div>
        <dt>{t.places}</dt>
        <dd>{allLocations ? t.everywhere : t.at(listOf(locationNames))}</dd>
      </div>
    </dl>
  );
}

function Pauses({
  contract,
  heading: Heading,
}: {
  readonly contract: ListedContract;
  readonly heading: "h2" | "h3";
}) {
  const t = contractWords();
  if (contract.pauses.length === 0) return null;
  return (
    <div>
      <Heading class="contract-title">{t.pauses}</Heading>
      <ul>
        {contract.pauses.map(({ id, firstDay, lastDay, extendsTerm }) => (
          <li key={id}>
            {lastDay === undefined
              ? t.pauseOpen(fullDate(firstDay))
              : t.pauseFromTo(fullDate(firstDay), fullDate(lastDay), daysBetween(firstDay, lastDay) + 1)}
            , <span class="soft">{extendsTerm ? t.pauseAdds : t.pauseAddsNot}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Terms({ contract }: { readonly contract: ListedContract }) {
  const t = contractWords();
  const { timezone } = useMe().organization;
  const { terms, termsResponse, termsRespondedAt } = contract;
  if (terms === undefined) return null;
  const date = termsRespondedAt === undefined ? "" : fullDate(localIn(termsRespondedAt, timezone));
  const answer =
    termsResponse === undefined
      ? t.unanswered
      : termsResponse === "accepted"
        ? t.accepted(date)
        : t.declinedOn(date);
  return (
    <div>
      <h2 class="contract-title">{t.terms}</h2>
      <p>{answer}</p>
      <details>
        <summary>{t.readTerms}</summary>
        <p class="contract-terms">{terms}</p>
      </details>
    </div>
  );
}
