import { useRead } from "../../api/reads.ts";
import { useMay } from "../../frame/me.ts";
import { route } from "../../frame/router.ts";
import { Shown } from "../../parts/page.tsx";
import { useCatalog } from "../../sessions/catalog.ts";
import { ScheduleForm } from "./schedule-form.tsx";
import { ScheduleList } from "./schedule-list.tsx";
import { SchedulePage } from "./schedule-page.tsx";
import "./timetable.css";

/** What repeats: the list, one entry, and the form for a new one or for a change. */
export default function TimetableScreen() {
  const [id, part] = route.value.rest;
  const mayWrite = useMay("manager");
  const catalog = useCatalog();
  const isOne = id !== undefined && id !== "new";
  const schedule = useRead(isOne ? "/app/v1/schedules/{id}" : undefined, { params: { id: id ?? "" } });
  if (id === undefined || !catalog.isLoaded) return <ScheduleList catalog={catalog} />;
  if (id === "new") return mayWrite ? <ScheduleForm catalog={catalog} /> : <ScheduleList catalog={catalog} />;
  return (
    <Shown reading={schedule}>
      {(found) =>
        part === "edit" && mayWrite ? (
          <ScheduleForm schedule={found} catalog={catalog} />
        ) : (
          <SchedulePage schedule={found} catalog={catalog} />
        )
      }
    </Shown>
  );
}
