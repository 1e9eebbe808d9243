import { useRead } from "../../api/reads.ts";
import { count, monthOf, shortMonth } from "../../languages/format.ts";
import { Section, Shown } from "../../parts/page.tsx";
import { Plot } from "../../parts/plot.tsx";
import { Table } from "../../parts/table.tsx";
import { DownloadButton } from "./download-button.tsx";
import { words } from "./words.ts";

/** Who came and who left, and why. */
export function MemberChanges({ from, until }: { readonly from: string; readonly until: string }) {
  const t = words();
  const query = { from, until };
  const reading = useRead("/app/v1/overview/member-changes", { query }, { keepsLast: true });
  return (
    <Section
      title={t.changes}
      actions={
        <DownloadButton
          path="/app/v1/overview/member-changes"
          query={query}
          name={`member-changes-${from}-${until}`}
        />
      }
    >
      <Shown reading={reading}>
        {({ data, reasons }) => {
          const gained = data.reduce((sum, month) => sum + month.gained, 0);
          const lost = data.reduce((sum, month) => sum + month.cancelled + month.expired, 0);
          const returned = data.reduce((sum, month) => sum + month.returned, 0);
          if (gained + lost === 0) return <p class="soft">{t.noChanges}</p>;
          const summary = t.changesSummary(count(gained), count(returned), count(lost));
          return (
            <>
              <p class="soft">{summary}</p>
              <Plot
                kind="bars"
                title={t.changes}
                rowTitle={t.month}
                series={[
                  { name: t.gained, tone: "accent" },
                  { name: t.lost, tone: "bad" },
                ]}
                rows={data.map(({ month, gained: came, cancelled, expired }) => ({
                  key: month,
                  label: shortMonth(`${month}-01`),
                  title: monthOf(`${month}-01`),
                  values: [came, cancelled + expired],
                }))}
                summary={summary}
              />
              {reasons.length > 0 && (
                <>
                  <h3>{t.reasons}</h3>
                  <Table
                    caption={t.reasons}
                    columns={[
                      { title: t.reason, cell: ({ cause, reason }) => reason ?? t.causes[cause] },
                      { title: t.lost, isNumber: true, cell: ({ members }) => count(members) },
                    ]}
                    rows={reasons.slice(0, MOST_REASONS)}
                    keyOf={({ cause, reason }) => `${cause} ${reason}`}
                  />
                </>
              )}
            </>
          );
        }}
      </Shown>
    </Section>
  );
}

/** The file has all. */
const MOST_REASONS = 10;
