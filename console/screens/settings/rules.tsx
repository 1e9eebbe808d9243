import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { fullDate, localIn, timeOf, weekdayOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { ChoiceField, SelectField, TextField } from "../../parts/field.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { Limits } from "./limits.tsx";
import { OrganizationForm } from "./organization-form.tsx";
import { words } from "./words.ts";

type Settings = Schemas["StaffSettings"];

/** The rules of the organization, each with what it means for a class. */
export function Rules() {
  const settings = useRead("/app/v1/settings");
  return <Shown reading={settings}>{(data) => <RulesForm settings={data} />}</Shown>;
}

function RulesForm({ settings }: { readonly settings: Settings }) {
  const t = words();
  // What nobody has touched here follows what others save.
  const [touched, setTouched] = useState<{
    cancel?: Span;
    checkIn?: Span;
    weekStart?: Settings["weekStart"];
    /** Empty: nothing is invoiced. */
    invoicesFrom?: string;
    paymentDays?: string;
  }>({});
  const {
    cancel = spanOf(settings.cancelWindowMinutes),
    checkIn = spanOf(settings.checkInOpensMinutes),
    weekStart = settings.weekStart,
    invoicesFrom = settings.invoicesFrom ?? "",
    paymentDays = String(settings.paymentDays),
  } = touched;
  const write = useWrite("editSettings");
  const fault = (member: string) => write.problem?.faultAt(`changes.${member}`);
  const changes = {
    ...(minutesOf(cancel) !== settings.cancelWindowMinutes && { cancelWindowMinutes: minutesOf(cancel) }),
    ...(minutesOf(checkIn) !== settings.checkInOpensMinutes && { checkInOpensMinutes: minutesOf(checkIn) }),
    ...(weekStart !== settings.weekStart && { weekStart }),
    ...(invoicesFrom !== (settings.invoicesFrom ?? "") && {
      invoicesFrom: invoicesFrom === "" ? null : invoicesFrom,
    }),
    ...(daysOf(paymentDays) !== settings.paymentDays && { paymentDays: daysOf(paymentDays) }),
  };
  const isChanged = Object.keys(changes).length > 0;
  const save = async () => {
    if (await write.run({ changes }, { said: t.rulesSaved })) setTouched({});
  };
  return (
    <div class="columns rules">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="soft">{t.rulesText}</p>
        <ProblemNotice
          problem={write.problem}
          shown={[
            "changes.cancelWindowMinutes",
            "changes.checkInOpensMinutes",
            "changes.invoicesFrom",
            "changes.paymentDays",
          ]}
        />
        <div class="card stack">
          <h2>{t.cancelling}</h2>
          <SpanFields
            label={t.cancelWindow}
            span={cancel}
            onChange={(changed) => setTouched({ ...touched, cancel: changed })}
            fault={fault("cancelWindowMinutes")}
          />
          <p class="soft">{t.cancelExample(momentOf(0), momentOf(minutesOf(cancel)))}</p>
        </div>
        <div class="card stack">
          <h2>{t.checkIn}</h2>
          <SpanFields
            label={t.checkInOpens}
            span={checkIn}
            onChange={(changed) => setTouched({ ...touched, checkIn: changed })}
            fault={fault("checkInOpensMinutes")}
          />
          <p class="soft">{t.checkInExample(momentOf(0), momentOf(minutesOf(checkIn)))}</p>
        </div>
        <div class="card stack">
          <h2>{t.week}</h2>
          <ChoiceField
            label={t.weekStart}
            value={weekStart}
            choices={(["monday", "sunday"] as const).map((value) => ({ value, label: t.weekdays[value] }))}
            onChoose={(changed) => setTouched({ ...touched, weekStart: changed })}
          />
          <p class="soft">{t.weekExample(t.weekDays[weekStart])}</p>
        </div>
        <div class="card stack">
          <h2>{t.invoices}</h2>
          <div class="columns">
            <DateField
              label={t.invoicesFrom}
              hint={t.invoicesFromHint}
              value={invoicesFrom}
              onInput={(changed) => setTouched({ ...touched, invoicesFrom: changed })}
              fault={fault("invoicesFrom")}
            />
            <TextField
              label={t.paymentDays}
              hint={t.paymentDaysHint}
              type="number"
              min={0}
              max={90}
              value={paymentDays}
              onInput={(changed) => setTouched({ ...touched, paymentDays: changed })}
              fault={fault("paymentDays")}
            />
          </div>
          <InvoicingNotice before={settings.invoicesFrom} after={invoicesFrom} />
        </div>
        <div>
          <Button kind="main" isSubmit isBusy={write.isBusy} isDisabled={!isChanged}>
            {t.save}
          </Button>
        </div>
        <LeaveGuard isChanged={isChanged} />
      </form>
      <div class="stack">
        <OrganizationForm />
        <Limits />
      </div>
    </div>
  );
}

/** What another first day brings, before it is saved. */
function InvoicingNotice({ before, after }: { readonly before: string | undefined; readonly after: string }) {
  const t = words();
  const { timezone } = useMe().organization;
  const today = localIn(Date.now(), timezone).slice(0, 10);
  if (after === (before ?? "")) return <p class="soft">{t.invoicesText}</p>;
  if (after === "") return <Notice tone="warning">{t.invoicesEnd}</Notice>;
  const isEarlier = after < today && (before === undefined || after < before);
  return isEarlier ? (
    <Notice tone="warning">{t.invoicesAtOnce(fullDate(after))}</Notice>
  ) : (
    <p class="soft">{t.invoicesText}</p>
  );
}

function daysOf(text: string): number {
  return Number.parseInt(text, 10) || 0;
}

/** A time before a class as people say it: hours where they come out even. */
interface Span {
  readonly number: string;
  readonly unit: "minutes" | "hours";
}

function spanOf(minutes: number): Span {
  return minutes > 0 && minutes % 60 === 0
    ? { number: String(minutes / 60), unit: "hours" }
    : { number: String(minutes), unit: "minutes" };
}

function minutesOf({ number, unit }: Span): number {
  return (Number.parseInt(number, 10) || 0) * (unit === "hours" ? 60 : 1);
}

function SpanFields({
  label,
  span,
  onChange,
  fault,
}: {
  readonly label: string;
  readonly span: Span;
  readonly onChange: (span: Span) => void;
  readonly fault: string | undefined;
}) {
  const t = words();
  return (
    <div class="span-fields">
      <TextField
        label={label}
        type="number"
        min={0}
        value={span.number}
        onInput={(number) => onChange({ ...span, number })}
        fault={fault}
      />
      <SelectField
        label={t.unit}
        value={span.unit}
        choices={[
          { value: "minutes", label: `${t.minutes} ${t.beforeStart}` },
          { value: "hours", label: `${t.hours} ${t.beforeStart}` },
        ]}
        onChoose={(unit) => onChange({ ...span, unit })}
      />
    </div>
  );
}

/** The class of the examples: a Wednesday at 18:00. */
const EXAMPLE_START = Date.UTC(2026, 10, 18, 18, 0);

/** So many minutes before it, as "Wednesday 15:00". */
function momentOf(minutesBefore: number): string {
  const local = new Date(EXAMPLE_START - minutesBefore * 60_000).toISOString().slice(0, 16);
  return `${weekdayOf(local, "long")} ${timeOf(local)}`;
}
