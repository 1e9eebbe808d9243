import { useEffect, useState } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { fullDate, timeOf, weekdayOf } from "../../languages/format.ts";
import { Badge, Notice } from "../../parts/notice.tsx";
import { words } from "./words.ts";

export interface SlotInput {
  readonly start: string;
  readonly rrule: string | undefined;
  readonly exdates: readonly string[];
  readonly rdates: readonly string[];
  readonly durationMinutes: number | undefined;
  readonly locationId: string;
}

/** The next ten dates of what is chosen, while it is chosen, with the nights in which clocks change marked. */
export function NextDates({ slots }: { readonly slots: SlotInput | undefined }) {
  const t = words();
  const settled = useSettled(slots);
  const query = settled && {
    start: settled.start,
    rrule: settled.rrule,
    exdates: settled.exdates.join(","),
    rdates: settled.rdates.join(","),
    durationMinutes: settled.durationMinutes,
    locationId: settled.locationId,
  };
  const reading = useRead(query && "/app/v1/slots", { query: query ?? {} }, { keepsLast: true });
  if (!slots || !settled) return <p class="soft">{t.previewWait}</p>;
  if (reading.problem) {
    const faults = reading.problem.body.errors ?? [];
    return (
      <Notice tone="bad">
        {faults.length === 0 && <p>{reading.problem.message}</p>}
        {faults.map(({ location, message }) => (
          <p key={location}>{message}</p>
        ))}
      </Notice>
    );
  }
  const { data = [], hasMore = false } = reading.data ?? {};
  if (reading.data && data.length === 0) return <p class="soft">{t.previewNone}</p>;
  return (
    <ol class="next-dates" aria-busy={reading.isLoading}>
      {data.map(({ originalStart, localStart, localEnd, clockChange }) => (
        <li key={originalStart}>
          <span class="next-date">
            {weekdayOf(localStart)} {fullDate(localStart)}
          </span>{" "}
          <span>
            {timeOf(localStart)}
            {localEnd && `–${timeOf(localEnd)}`}
          </span>{" "}
          {clockChange && (
            <Badge tone="warning">
              {clockChange === "skipped" ? t.skipped(timeOf(localStart)) : t.repeated}
            </Badge>
          )}
        </li>
      ))}
      {hasMore && <li class="soft">{t.previewMore}</li>}
    </ol>
  );
}

const TYPING_MS = 200;

/** What was chosen, once the person pauses. */
function useSettled(slots: SlotInput | undefined): SlotInput | undefined {
  const [settled, setSettled] = useState(slots);
  const key = JSON.stringify(slots);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(slots), TYPING_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
