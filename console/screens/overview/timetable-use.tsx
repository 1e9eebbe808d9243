import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useMe } from "../../frame/me.ts";
import { dayWindow } from "../../languages/day-window.ts";
import { addDays } from "../../languages/days.ts";
import { count, percent, timeOf, weekdayOf } from "../../languages/format.ts";
import { SelectField } from "../../parts/field.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { words } from "./words.ts";

type Hour = Schemas["HourOfWeek"];
const SPANS = ["4", "8", "12"] as const;
/** A Monday. */
const MONDAY = "2024-01-01";

/** How many of the seats are taken, by weekday and hour: the darker the fuller, with the number in it. */
export function TimetableUse({ today }: { readonly today: string }) {
  const t = words();
  const { timezone } = useMe().organization;
  const { query } = route.value;
  const weeks = SPANS.find((span) => span === query.get("weeks")) ?? "4";
  const location = query.get("location") ?? undefined;
  const locations = useRead("/app/v1/locations").data?.data ?? [];
  const weekStart = useRead("/app/v1/settings").data?.weekStart ?? "monday";
  // Whole days that are over, so that every weekday counts as often.
  const reading = useRead(
    "/app/v1/overview/timetable",
    {
      query: {
        ...dayWindow(addDays(today, -7 * Number(weeks)), 7 * Number(weeks), timezone),
        locationId: location,
      },
    },
    { keepsLast: true },
  );
  return (
    <Section
      title={t.full}
      actions={
        <div class="row">
          {locations.length > 1 && (
            <SelectField
              label={t.place}
              isLabelHidden
              value={location ?? ""}
              choices={[
                { value: "", label: t.allPlaces },
                ...locations.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChoose={(value) => setQuery({ location: value })}
            />
          )}
          <SelectField
            label={t.weeks}
            isLabelHidden
            value={weeks}
            choices={SPANS.map((value) => ({ value, label: t.lastWeeks(Number(value)) }))}
            onChoose={(value) => setQuery({ weeks: value === "4" ? undefined : value })}
          />
        </div>
      }
    >
      <Shown reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">{t.noSessions}</p>
          ) : (
            <>
              <p class="soft">{t.fullNote(percent(shareOf(data)))}</p>
              <HeatMap hours={data} weekStart={weekStart} />
            </>
          )
        }
      </Shown>
    </Section>
  );
}

function HeatMap({
  hours,
  weekStart,
}: {
  readonly hours: readonly Hour[];
  readonly weekStart: "monday" | "sunday";
}) {
  const t = words();
  const known = new Map(hours.map((hour) => [`${hour.weekday} ${hour.hour}`, hour]));
  const used = hours.map(({ hour }) => hour);
  const [first, last] = [Math.min(...used), Math.max(...used)];
  const days = Array.from({ length: 7 }, (_, place) => ((place + (weekStart === "sunday" ? 6 : 0)) % 7) + 1);
  const dayName = (weekday: number, width: "short" | "long") =>
    weekdayOf(addDays(MONDAY, weekday - 1), width);
  return (
    <div class="heat-frame">
      <table class="heat">
        <caption class="for-readers">{t.full}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="for-readers">{t.hour}</span>
            </th>
            {days.map((weekday) => (
              <th key={weekday} scope="col">
                <abbr title={dayName(weekday, "long")}>{dayName(weekday, "short")}</abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: last - first + 1 }, (_, row) => first + row).map((hour) => {
            const time = timeOf(`${MONDAY}T${String(hour).padStart(2, "0")}:00`);
            return (
              <tr key={hour}>
                <th scope="row">{time}</th>
                {days.map((weekday) => {
                  const cell = known.get(`${weekday} ${hour}`);
                  if (!cell || cell.capacity === 0) return <td key={weekday} class="heat-none" />;
                  const share = cell.booked / cell.capacity;
                  const title = t.seats(
                    dayName(weekday, "long"),
                    time,
                    percent(share),
                    count(cell.booked),
                    count(cell.capacity),
                  );
                  return (
                    <td key={weekday} class={`heat-${Math.min(5, Math.ceil(share * 5))}`} title={title}>
                      {percent(share)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function shareOf(hours: readonly Hour[]): number {
  const sum = (member: "booked" | "capacity") => hours.reduce((all, hour) => all + hour[member], 0);
  return sum("capacity") === 0 ? 0 : sum("booked") / sum("capacity");
}
