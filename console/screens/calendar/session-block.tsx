import { type ReadonlySignal, useComputed } from "@preact/signals";
import { timeOf, zoneName } from "../../languages/format.ts";
import { isRepeatedTime } from "./clocks.ts";
import type { Block } from "./placement.ts";
import { words } from "./words.ts";

interface SessionBlockProps {
  readonly block: Block;
  /** The one that the Tab key comes to. */
  readonly active: ReadonlySignal<string | undefined>;
  readonly onOpen: (block: Block) => void;
  readonly onMoveTo: (key: string, move: string) => boolean;
  readonly onFocus: (key: string) => void;
  readonly isPast: boolean;
  readonly hasLocation: boolean;
  /** The organization's: others are named. */
  readonly timezone: string;
  readonly hasClockChange: boolean;
  /** Whether what stands beside another has little room. */
  readonly isCrowded: boolean;
}

/** How long a session is for each line of text that it has room for. */
const MINUTES_OF_LINE = 21;

/** A session on the grid: when, what, and how full it is, in words. */
export function SessionBlock({
  block,
  active,
  onOpen,
  onMoveTo,
  onFocus,
  isPast,
  hasLocation,
  timezone,
  hasClockChange,
  isCrowded,
}: SessionBlockProps) {
  const t = words();
  const tabIndex = useComputed(() => (active.value === block.key ? 0 : -1));
  const { session, isContinued } = block;
  const { localStart = "", localEnd = "", capacity, bookedCount, waiting, resourceNames = [] } = session;
  const isCancelled = session.status === "cancelled";
  const isFull = !isCancelled && bookedCount >= capacity;
  const zone = session.timezone ?? timezone;
  const isElsewhere = zone !== timezone;
  const isRepeated = hasClockChange && isRepeatedTime(session.startAt, zone);
  const isNarrow = block.lanes > 1 && block.span < block.lanes && isCrowded;
  const about = [
    isContinued ? t.continued : undefined,
    waiting > 0 ? t.waiting(waiting) : undefined,
    hasLocation ? session.locationName : undefined,
    ...resourceNames,
  ];
  const state = isCancelled ? "cancelled" : isFull ? "full" : bookedCount === 0 ? "unbooked" : "booked";
  const seats = (
    <span class="block-seats">
      <span aria-hidden="true">{t.seats(bookedCount, capacity)}</span>
      <span class="for-readers">{t.seatsLabel(bookedCount, capacity)}</span>
      {isFull && <strong> {t.full}</strong>}
    </span>
  );
  const lines = Math.max(1, Math.floor((block.to - block.from) / MINUTES_OF_LINE));
  return (
    <button
      type="button"
      class={`block block-${state}${isPast ? " block-past" : ""}${lines > 1 ? "" : " block-short"}${isCrowded ? "" : " block-wide"}`}
      style={{
        "--begin": block.from,
        "--length": block.to - block.from,
        "--lane": block.lane,
        "--span": block.span,
        "--lanes": block.lanes,
        "--lines": lines,
      }}
      data-key={block.key}
      tabIndex={tabIndex}
      onClick={() => onOpen(block)}
      onFocus={() => onFocus(block.key)}
      onKeyDown={(event) => {
        if (onMoveTo(block.key, event.key)) event.preventDefault();
      }}
    >
      <span class="block-lines">
        <span class="block-head">
          <span class="block-time">{timeOf(localStart)}</span>
          {isRepeated && <small> {zoneName(session.startAt, zone)}</small>}{" "}
          {isCancelled && <span class={isNarrow ? "for-readers" : undefined}>{t.cancelled}</span>}
          {!isCancelled && !isNarrow && seats}
          {isNarrow && isFull && <span aria-hidden="true">■</span>}
          {isElsewhere && !isRepeated && (
            <small class={isNarrow ? "for-readers" : undefined}> {zoneName(session.startAt, zone)}</small>
          )}
        </span>{" "}
        <span class="block-name">{session.serviceTypeName}</span> {!isCancelled && isNarrow && seats}{" "}
        <span class={lines > 2 || !isCrowded ? "block-who" : "for-readers"}>
          {about.filter(Boolean).join(" · ")}
        </span>
      </span>{" "}
      <span class="for-readers">{t.until(timeOf(localEnd))}</span>
    </button>
  );
}
