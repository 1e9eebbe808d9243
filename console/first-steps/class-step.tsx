import { useState } from "preact/hooks";
import { useRead, useWholeList } from "../api/reads.ts";
import { useWrite } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { addDays, isDate } from "../languages/days.ts";
import { localIn, longDate } from "../languages/format.ts";
import { language } from "../languages/words.ts";
import { DateField, TimeField } from "../parts/date-field.tsx";
import { ChecksField, SelectField, TextField } from "../parts/field.tsx";
import { firstDate, newRepeat, WEEKDAYS, writeRule } from "../recurrence/repeat.ts";
import { describeRepeat, weekdayName } from "../recurrence/repeat-words.ts";
import { StepForm, type StepProps } from "./step-form.tsx";
import { words } from "./words.ts";

/** A weekly class, from tomorrow on unless said: everything else about it is written in the timetable. */
export function ClassStep({ onDone, onSkip }: StepProps) {
  const t = words();
  const { organization } = useMe();
  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  const services = useWholeList("/app/v1/service-types", { status: "active" }).data?.data ?? [];
  const locations = (useRead("/app/v1/locations").data?.data ?? []).filter(
    ({ status }) => status === "active",
  );
  const [chosenService, setService] = useState<string>();
  const [chosenLocation, setLocation] = useState<string>();
  const [days, setDays] = useState<readonly string[]>([]);
  const [time, setTime] = useState("07:00");
  const [minutes, setMinutes] = useState("60");
  const [seats, setSeats] = useState("12");
  const [from, setFrom] = useState(addDays(today, 1));
  const [isDayMissing, setDayMissing] = useState(false);
  const { run, isBusy, problem } = useWrite("addSchedule");
  const serviceTypeId = chosenService ?? services[0]?.id ?? "";
  const locationId = chosenLocation ?? locations[0]?.id ?? "";
  const repeat = { ...newRepeat(from, 0), weekdays: days.map(Number).sort() };
  const first = days.length > 0 && isDate(from) ? firstDate(repeat, from) : undefined;
  const start = first && `${first}T${time}`;
  return (
    <StepForm
      save={t.add}
      isBusy={isBusy}
      problem={problem}
      shown={["start", "durationMinutes", "capacity"]}
      onSkip={onSkip}
      onSubmit={async () => {
        setDayMissing(days.length === 0);
        const rrule = writeRule(repeat);
        if (start === undefined || rrule === undefined) return;
        const content = {
          serviceTypeId,
          locationId,
          start,
          durationMinutes: Number(minutes),
          capacity: Number(seats),
          rrule,
        };
        if (await run(content, { said: t.classSaved })) onDone();
      }}
    >
      {services.length > 1 && (
        <SelectField
          label={t.service}
          value={serviceTypeId}
          choices={services.map(({ id, name }) => ({ value: id, label: name }))}
          onChoose={setService}
        />
      )}
      {locations.length > 1 && (
        <SelectField
          label={t.location}
          value={locationId}
          choices={locations.map(({ id, name }) => ({ value: id, label: name }))}
          onChoose={setLocation}
        />
      )}
      <div class="first-days">
        <ChecksField
          label={t.weekdays}
          values={days}
          choices={WEEKDAYS.map((day) => ({ value: String(day), label: weekdayName(day, language.value) }))}
          onChange={setDays}
          fault={isDayMissing && days.length === 0 ? t.noWeekday : undefined}
        />
      </div>
      <div class="first-class">
        <TimeField
          label={t.time}
          value={time}
          onInput={setTime}
          isRequired
          fault={problem?.faultAt("start")}
        />
        <TextField
          label={t.minutes}
          type="number"
          min={1}
          value={minutes}
          onInput={setMinutes}
          isRequired
          fault={problem?.faultAt("durationMinutes")}
        />
        <TextField
          label={t.seats}
          type="number"
          min={1}
          value={seats}
          onInput={setSeats}
          isRequired
          fault={problem?.faultAt("capacity")}
        />
        <DateField label={t.from} min={today} value={from} onInput={setFrom} isRequired />
      </div>
      {start && first && (
        <p role="status">
          <strong>
            {describeRepeat(repeat, { start, year: today.slice(0, 4), language: language.value })}
          </strong>
          <br />
          <span class="soft">
            {t.from} {longDate(first)}
          </span>
        </p>
      )}
    </StepForm>
  );
}
