import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { addDays } from "../../languages/days.ts";
import { count, percent, weekdayOf } from "../../languages/format.ts";
import { SelectField } from "../../parts/field.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { DownloadButton } from "./download-button.tsx";
import { words } from "./words.ts";

type Visits = Schemas["VisitsOf"];
const WAYS = ["service", "hour", "teacher"] as const;
/** A Monday. */
const MONDAY = "2024-01-01";

/** Who came, by service, hour or teacher: a bar for the visits, with the number in it. */
export function VisitsBy({ from, until }: { readonly from: string; readonly until: string }) {
  const t = words();
  const asked = route.value.query.get("by");
  const by = WAYS.find((way) => way === asked) ?? "service";
  const query = { from, until, by };
  const reading = useRead("/app/v1/overview/visits", { query }, { keepsLast: true });
  const nameOf = ({ weekday, hour, name }: Visits) =>
    hour === undefined || weekday === undefined
      ? (name ?? t.nobody)
      : `${weekdayOf(addDays(MONDAY, weekday - 1))} ${String(hour).padStart(2, "0")}:00`;
  return (
    <Section
      title={t.visits}
      actions={
        <div class="row">
          <SelectField
            label={t.by}
            isLabelHidden
            value={by}
            choices={WAYS.map((value) => ({ value, label: t.ways[value] }))}
            onChoose={(value) => setQuery({ by: value === "service" ? undefined : value })}
          />
          <DownloadButton
            path="/app/v1/overview/visits"
            query={query}
            name={`visits-${by}-${from}-${until}`}
          />
        </div>
      }
    >
      <Shown reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">{t.noVisits}</p>
          ) : (
            <Table
              caption={`${t.visits}: ${t.ways[by]}`}
              columns={[
                { title: t.columns[by], cell: nameOf },
                {
                  title: t.attended,
                  cell: ({ attended }) => (
                    <Bar value={attended} most={Math.max(...data.map((one) => one.attended))} />
                  ),
                },
                { title: t.classes, isNumber: true, isExtra: true, cell: ({ sessions }) => count(sessions) },
                {
                  title: t.perClass,
                  isNumber: true,
                  isExtra: true,
                  cell: ({ attended, sessions }) => count(Math.round((10 * attended) / sessions) / 10),
                },
                { title: t.missed, isNumber: true, cell: (visits) => percent(missedShare(visits)) },
              ]}
              rows={by === "hour" ? data : [...data].sort((one, other) => other.attended - one.attended)}
              keyOf={({ serviceTypeId, resourceId, weekday, hour }) =>
                `${serviceTypeId} ${resourceId} ${weekday} ${hour}`
              }
            />
          )
        }
      </Shown>
    </Section>
  );
}

/** Of those who had a place and whose record says what became of it. */
function missedShare({ attended, noShows, lateCancelled }: Visits): number {
  const all = attended + noShows + lateCancelled;
  return all === 0 ? 0 : (noShows + lateCancelled) / all;
}

function Bar({ value, most }: { readonly value: number; readonly most: number }) {
  return (
    <span class="overview-bar">
      <span class="overview-bar-fill" style={{ width: `${most === 0 ? 0 : (100 * value) / most}%` }} />
      <span class="overview-bar-value">{count(value)}</span>
    </span>
  );
}
