import { useEffect, useRef } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { useMay } from "../../frame/me.ts";
import { Button } from "../../parts/button.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { MissingPage, Shown } from "../../parts/page.tsx";
import { route } from "../../routing/router.ts";
import { type Catalog, useCatalog } from "../../sessions/catalog.ts";
import type { Schedule } from "./schedule.ts";
import { ScheduleList } from "./schedule-list.tsx";
import { SchedulePage } from "./schedule-page.tsx";
import { words } from "./words.ts";
import "./timetable.css";

const [ScheduleForm, fetchForm] = lazyDialog(async () => (await import("./schedule-form.tsx")).ScheduleForm);

/** What repeats: the list, one entry, and the form for a new one or for a change. */
export default function TimetableScreen() {
  const [id, part] = route.value.rest;
  const mayWrite = useMay("manager");
  const catalog = useCatalog();
  // Before the connection may be lost.
  useEffect(() => void fetchForm().catch(() => {}), []);
  if (id === undefined || !catalog.isLoaded) return <ScheduleList catalog={catalog} />;
  if (id === "new") return mayWrite ? <ScheduleForm catalog={catalog} /> : <ScheduleList catalog={catalog} />;
  return <OneSchedule key={id} id={id} isForm={part === "edit" && mayWrite} catalog={catalog} />;
}

function OneSchedule({
  id,
  isForm,
  catalog,
}: {
  readonly id: string;
  readonly isForm: boolean;
  readonly catalog: Catalog;
}) {
  const t = words();
  const reading = useRead("/app/v1/schedules/{id}", { params: { id } });
  // The form stays when somebody deletes what it is about: what was typed is not taken away without a word.
  const last = useRef<Schedule>(undefined);
  last.current = reading.data ?? last.current;
  const isGone = reading.problem !== undefined && reading.problem.status < 500;
  if (isForm && last.current)
    return <ScheduleForm schedule={last.current} isGone={isGone} catalog={catalog} />;
  if (isGone)
    return (
      <MissingPage title={t.unknown}>
        <Button href="/console/timetable">{t.back}</Button>
      </MissingPage>
    );
  return <Shown reading={reading}>{(found) => <SchedulePage schedule={found} catalog={catalog} />}</Shown>;
}
