import { useRead } from "../../api/reads.ts";
import { addDays } from "../../languages/days.ts";
import { count, monthOf } from "../../languages/format.ts";
import { SelectField } from "../../parts/field.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { DownloadButton } from "./download-button.tsx";
import { words } from "./words.ts";

/** How many months back one may look here. */
const MONTHS = 12;

/** What each teacher gave in a month, for their pay; the file has every class. */
export function ClassesGiven({ today }: { readonly today: string }) {
  const t = words();
  const months = monthsUntil(today);
  const asked = route.value.query.get("taught");
  const month = months.find((one) => one === asked) ?? today.slice(0, 7);
  const query = { from: `${month}-01`, until: lastDayOf(month) };
  const reading = useRead("/app/v1/overview/classes", { query }, { keepsLast: true });
  return (
    <Section
      title={t.taught}
      actions={
        <div class="row">
          <SelectField
            label={t.month}
            isLabelHidden
            value={month}
            choices={months.map((value) => ({ value, label: monthOf(`${value}-01`) }))}
            onChoose={(value) => setQuery({ taught: value === today.slice(0, 7) ? undefined : value })}
          />
          <DownloadButton path="/app/v1/overview/classes" query={query} name={`classes-${month}`} />
        </div>
      }
    >
      <Shown reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">{t.noSessions}</p>
          ) : (
            <>
              <p class="soft">{t.taughtNote}</p>
              <Table
                caption={t.taught}
                columns={[
                  { title: t.columns.teacher, cell: ({ name }) => name ?? t.nobody },
                  { title: t.classes, isNumber: true, cell: ({ classes }) => count(classes) },
                  {
                    title: t.withoutVisit,
                    isNumber: true,
                    isExtra: true,
                    cell: (one) => count(one.withoutVisit),
                  },
                  {
                    title: t.hours,
                    isNumber: true,
                    cell: ({ minutes }) => count(Math.round(minutes / 6) / 10),
                  },
                  { title: t.booked, isNumber: true, isExtra: true, cell: ({ booked }) => count(booked) },
                  {
                    title: t.attended,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ attended }) => count(attended),
                  },
                ]}
                rows={data}
                keyOf={({ resourceId }) => resourceId ?? ""}
              />
            </>
          )
        }
      </Shown>
    </Section>
  );
}

/** The month of a date and those before it. */
function monthsUntil(date: string): string[] {
  const [year = 0, month = 0] = date.split("-").map(Number);
  return Array.from({ length: MONTHS }, (_, place) =>
    new Date(Date.UTC(year, month - 1 - place, 1)).toISOString().slice(0, 7),
  );
}

function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return addDays(new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10), -1);
}
