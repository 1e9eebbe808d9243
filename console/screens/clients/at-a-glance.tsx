import { useState } from "preact/hooks";
import { type Answer, useRead } from "../../api/reads.ts";
import { SessionPanel } from "../../booking/session-panel.tsx";
import { fullDate, longDate, timeOf } from "../../languages/format.ts";
import { isolate } from "../../languages/given-text.ts";
import { Skeleton } from "../../parts/page.tsx";
import { amountInWords, namesIn, scopeInWords } from "../../plan-words/plan-words.ts";
import { contractWords } from "./contract-words.ts";
import { type ClientContracts, isRunning, type ListedContract } from "./records.ts";
import { words } from "./words.ts";

type Visit = NonNullable<Answer<"/app/v1/clients/{id}/nearest-visits">["next"]>;

/** What the front desk is asked first: when they come next, when they came last, and what is left. */
export function AtAGlance({
  clientId,
  contracts,
}: {
  readonly clientId: string;
  readonly contracts: ClientContracts;
}) {
  const t = words();
  const { data: visits } = useRead("/app/v1/clients/{id}/nearest-visits", { params: { id: clientId } });
  const [sessionId, setSessionId] = useState<string>();
  const running = contracts.data.filter(isRunning);
  const open = (visit: Visit) => setSessionId(visit.sessionId);
  if (!visits) return <Skeleton lines={2} />;
  return (
    <section class="card" aria-label={t.glance}>
      <dl class="client-facts client-glance">
        <div>
          <dt>{t.nextClass}</dt>
          <dd>{visits.next ? <VisitLink visit={visits.next} onOpen={open} /> : t.noNext}</dd>
        </div>
        <div>
          <dt>{t.lastVisit}</dt>
          <dd>{visits.last ? <VisitLink visit={visits.last} onOpen={open} /> : t.noLast}</dd>
        </div>
        <div>
          <dt>{t.left}</dt>
          <dd>
            {running.length === 0
              ? t.noContract
              : running.map((each) => <Left key={each.id} contract={each} />)}
          </dd>
        </div>
      </dl>
      {sessionId !== undefined && (
        <SessionPanel session={{ sessionId }} onClose={() => setSessionId(undefined)} />
      )}
    </section>
  );
}

function VisitLink({ visit, onOpen }: { readonly visit: Visit; readonly onOpen: (visit: Visit) => void }) {
  const { localStart, serviceTypeName } = visit;
  return (
    <button type="button" class="client-session" aria-haspopup="dialog" onClick={() => onOpen(visit)}>
      {longDate(localStart)} {timeOf(localStart)}, {isolate(serviceTypeName)}
    </button>
  );
}

/** "7 credits left · Pilates, until 31 Dec 2026"; of visits by the week, how many are left in this one. */
function Left({ contract }: { readonly contract: ListedContract }) {
  const t = contractWords();
  const { entitlements, endDate } = contract;
  const until = endDate === undefined ? "" : `, ${words().until(fullDate(endDate))}`;
  return (
    <>
      {entitlements
        .filter(({ revokedAt }) => revokedAt === undefined)
        .map((grant) => {
          const { id, maxVisitsPerPeriod: most, visitsInPeriod = 0, period } = grant;
          const amount =
            most === undefined
              ? amountInWords(grant)
              : t.visitsLeft(Math.max(most - visitsInPeriod, 0), most, period ? t.periods[period] : t.ever);
          return (
            <div key={id}>
              <strong>{amount}</strong> · {isolate(scopeInWords(grant, namesIn(grant)))}
              {until}
            </div>
          );
        })}
    </>
  );
}
