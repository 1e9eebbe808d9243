import { useMay, useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { localIn } from "../../languages/format.ts";
import { SelectField } from "../../parts/field.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Page } from "../../parts/page.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { Attendance } from "./attendance.tsx";
import { ClassesGiven } from "./classes.tsx";
import { KeyUse } from "./key-use.tsx";
import { MemberChanges } from "./member-changes.tsx";
import { firstOfMonth, Members } from "./members.tsx";
import { TimetableUse } from "./timetable-use.tsx";
import { VisitsBy } from "./visits.tsx";
import { words } from "./words.ts";
import "./overview.css";

const [DownloadButton] = lazyDialog(
  async () => (await import("../../downloads/download-button.tsx")).DownloadButton,
);

const SPANS = ["6", "12", "24"] as const;

/** How the studio does. The address has what is looked at. */
export default function OverviewScreen() {
  const t = words();
  const { organization } = useMe();
  const isOwner = useMay("owner");
  const asked = route.value.query.get("months");
  const months = SPANS.find((span) => span === asked) ?? "12";
  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  const days = { from: firstOfMonth(today, 1 - Number(months)), until: today };
  return (
    <Page
      title={frameWords().screens.overview}
      actions={
        <>
          <SelectField
            label={t.months}
            isLabelHidden
            value={months}
            choices={SPANS.map((value) => ({ value, label: t.lastMonths(Number(value)) }))}
            onChoose={(value) => setQuery({ months: value === "12" ? undefined : value })}
          />
          <DownloadButton first="attendance" />
        </>
      }
    >
      <div class="overview">
        <Members today={today} months={Number(months)} />
        <MemberChanges {...days} />
        <VisitsBy {...days} />
        <TimetableUse today={today} />
        <ClassesGiven today={today} />
        <div class="overview-side">
          <Attendance today={today} />
          {isOwner && <KeyUse today={today} />}
        </div>
      </div>
    </Page>
  );
}
