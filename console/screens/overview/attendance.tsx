import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { addDays, weekBegin } from "../../languages/days.ts";
import { count, dayMonth, fullDate, percent } from "../../languages/format.ts";
import { Section, Shown } from "../../parts/page.tsx";
import { Plot } from "../../parts/plot.tsx";
import { words } from "./words.ts";

type Week = Schemas["WeekOfVisits"];
const WEEKS = 12;

/** Who did not come, and who cancelled too late for somebody else to have the seat. */
export function Attendance({ today }: { readonly today: string }) {
  const t = words();
  const settings = useRead("/app/v1/settings").data;
  const first = settings && addDays(weekBegin(today, settings.weekStart), -7 * (WEEKS - 1));
  const reading = useRead(first === undefined ? undefined : "/app/v1/overview/attendance", {
    query: { from: first ?? today, until: today },
  });
  return (
    <Section title={t.attendance}>
      <Shown reading={reading}>
        {({ data }) => {
          const weeks = everyWeek(first ?? today, data);
          const [shows, late] = [sumOf(data, "noShows"), sumOf(data, "lateCancelled")];
          const all = shows + late + sumOf(data, "attended") + sumOf(data, "unmarked");
          if (all === 0) return <p class="soft">{t.noVisits}</p>;
          const summary = t.attendanceSummary(count(shows), count(late), percent((shows + late) / all));
          return (
            <>
              <p class="soft">{summary}</p>
              <Plot
                kind="stack"
                title={t.attendance}
                rowTitle={t.week}
                series={[
                  { name: t.noShows, tone: "bad" },
                  { name: t.late, tone: "warning" },
                ]}
                rows={weeks.map(({ firstDay, noShows, lateCancelled }) => ({
                  key: firstDay,
                  label: dayMonth(firstDay),
                  title: fullDate(firstDay),
                  values: [noShows, lateCancelled],
                }))}
                summary={summary}
              />
            </>
          );
        }}
      </Shown>
    </Section>
  );
}

/** Weeks without a booking are not answered, and are weeks all the same. */
function everyWeek(first: string, data: readonly Week[]): Week[] {
  const known = new Map(data.map((week) => [week.firstDay, week]));
  return Array.from({ length: WEEKS }, (_, place) => {
    const firstDay = addDays(first, 7 * place);
    return known.get(firstDay) ?? { firstDay, attended: 0, noShows: 0, lateCancelled: 0, unmarked: 0 };
  });
}

function sumOf(weeks: readonly Week[], member: Exclude<keyof Week, "firstDay">): number {
  return weeks.reduce((sum, week) => sum + week[member], 0);
}
