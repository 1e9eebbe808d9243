import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { addDays } from "../../languages/days.ts";
import { count, dayMonth, fullDate } from "../../languages/format.ts";
import { Section, Shown } from "../../parts/page.tsx";
import { Plot } from "../../parts/plot.tsx";
import { words } from "./words.ts";

type Use = Schemas["DayOfKey"];
const DAYS = 30;

/** What other programs asked for, key by key. */
export function KeyUse({ today }: { readonly today: string }) {
  const t = words();
  const first = addDays(today, 1 - DAYS);
  const reading = useRead("/app/v1/overview/keys", { query: { from: first, until: today } });
  return (
    <Section title={t.keys}>
      <Shown reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">{t.noRequests}</p>
          ) : (
            <>
              <p class="soft">{t.keysNote}</p>
              <div class="overview-keys">
                {[...byKey(data)].map(([keyId, uses]) => (
                  <KeyDays key={keyId} first={first} uses={uses} />
                ))}
              </div>
            </>
          )
        }
      </Shown>
    </Section>
  );
}

function KeyDays({ first, uses }: { readonly first: string; readonly uses: readonly Use[] }) {
  const t = words();
  const name = uses[0]?.name ?? t.unnamed;
  const total = count(uses.reduce((sum, { requests }) => sum + requests, 0));
  const known = new Map(uses.map((use) => [use.day, use]));
  const rows = Array.from({ length: DAYS }, (_, place) => {
    const day = addDays(first, place);
    const { requests = 0, refused = 0 } = known.get(day) ?? {};
    return { key: day, label: dayMonth(day), title: fullDate(day), values: [requests - refused, refused] };
  });
  return (
    <div class="stack">
      <h3>
        {name} <span class="soft">{t.total(total)}</span>
      </h3>
      <Plot
        kind="stack"
        title={`${t.keys}: ${name}`}
        rowTitle={t.day}
        series={[
          { name: t.requests, tone: "accent" },
          { name: t.refused, tone: "bad" },
        ]}
        rows={rows}
        summary={t.keysSummary(name, total)}
      />
    </div>
  );
}

function byKey(uses: readonly Use[]): Map<string, Use[]> {
  const keys = new Map<string, Use[]>();
  for (const use of uses) {
    const known = keys.get(use.keyId);
    if (known) known.push(use);
    else keys.set(use.keyId, [use]);
  }
  return keys;
}
