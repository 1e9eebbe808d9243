import { computed, type ReadonlySignal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { timeOf, zoneName } from "../../languages/format.ts";
import { isRepeatedTime } from "./clocks.ts";
import type { BlockPlace } from "./hour-scale.ts";
import type { Hue } from "./hues.ts";
import type { Block } from "./placement.ts";
import { words } from "./words.ts";

interface SessionBlockProps {
  readonly block: Block;
  readonly place: BlockPlace;
  readonly hue: Hue | undefined;
  /** The one that the Tab key comes to. */
  readonly active: ReadonlySignal<string | undefined>;
  /** The one that a pointer is over or that has the focus: all that is known of it stands beside it. */
  readonly shown: Signal<string | undefined>;
  /** Where that has room; absent where all is said in the session itself. */
  readonly side: Side | undefined;
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

export interface Side {
  readonly isLeft: boolean;
  readonly isUp: boolean;
}

const LINE_PIXELS = 16;
const EDGE_PIXELS = 6;

/** A session on the grid: when, what, and how full it is, in words. */
export function SessionBlock({
  block,
  place,
  hue,
  active,
  shown,
  side,
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
  // Made again for another session: `useComputed` is evaluated again only when a signal changes.
  const [tabIndex, isShown] = useMemo(
    () => [computed(() => (active.value === block.key ? 0 : -1)), computed(() => shown.value === block.key)],
    [block.key],
  );
  const { session, isContinued, isHeaped, hasTime } = block;
  const { localStart = "", localEnd = "", capacity, bookedCount, waiting, resourceNames = [] } = session;
  const isCancelled = session.status === "cancelled";
  const isFull = !isCancelled && bookedCount >= capacity;
  const zone = session.timezone ?? timezone;
  const isRepeated = hasClockChange && isRepeatedTime(session.startAt, zone);
  const ownZone = zone !== timezone || isRepeated ? zoneName(session.startAt, zone) : undefined;
  const about = [
    isContinued ? t.continued : undefined,
    waiting > 0 ? t.waiting(waiting) : undefined,
    hasLocation ? session.locationName : undefined,
    ...resourceNames,
  ].filter((part) => part !== undefined);
  const state = isCancelled ? "cancelled" : isFull ? "full" : bookedCount === 0 ? "unbooked" : "booked";
  const lines = Math.max(1, Math.floor((place.height - EDGE_PIXELS) / LINE_PIXELS));
  const classes = ["block", `block-${state}`, hue ? `hue-${hue}` : "hue-none"];
  if (isPast) classes.push("block-past");
  if (isHeaped) classes.push("block-heaped");
  else if (lines === 1) classes.push("block-short");
  if (!isCrowded) classes.push("block-wide");
  const seats = isCancelled ? (
    <span class="block-seats">{t.cancelled}</span>
  ) : (
    <span class="block-seats">
      {t.seats(bookedCount, capacity)}
      {isFull && !isHeaped && <strong> {t.full}</strong>}
    </span>
  );
  const time = (
    <>
      <span class="block-time">{timeOf(localStart)}</span>
      {ownZone && <small> {ownZone}</small>}
    </>
  );
  const name = <span class="block-name">{session.serviceTypeName}</span>;
  const said = [
    timeOf(localStart),
    ownZone,
    isCancelled ? t.cancelled : t.seatsLabel(bookedCount, capacity),
    isFull ? t.full : undefined,
    session.serviceTypeName,
    about.join(" · "),
    t.until(timeOf(localEnd)),
  ];
  return (
    <button
      type="button"
      class={classes.join(" ")}
      style={{
        "--y": place.top,
        "--h": place.height,
        "--lane": block.lane,
        "--span": block.span,
        "--lanes": block.lanes,
        "--lines": lines,
      }}
      data-key={block.key}
      tabIndex={tabIndex}
      onClick={() => onOpen(block)}
      onPointerEnter={({ pointerType }) => {
        if (pointerType !== "touch") shown.value = block.key;
      }}
      onPointerLeave={() => {
        if (isShown.value) shown.value = undefined;
      }}
      onFocus={(event) => {
        onFocus(block.key);
        if (event.currentTarget.matches(":focus-visible")) shown.value = block.key;
      }}
      onBlur={() => {
        if (isShown.value) shown.value = undefined;
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") shown.value = undefined;
        if (onMoveTo(block.key, event.key)) event.preventDefault();
      }}
    >
      {/* One for readers of screens and one for the eye: a large studio has hundreds, and each element counts. */}
      <span class="for-readers">{said.filter(Boolean).join(" ")}</span>
      {isHeaped ? (
        <span aria-hidden="true" class="block-row">
          {hasTime && (
            <span class="block-head block-when">
              {time} {seats}
            </span>
          )}
          {name} {!hasTime && seats}
        </span>
      ) : (
        <span aria-hidden="true" class="block-lines">
          <span class="block-head">
            {time} {seats}
          </span>{" "}
          {name} {(lines > 2 || !isCrowded) && <span class="block-who">{about.join(" · ")}</span>}
        </span>
      )}
      {side && isShown.value && (
        // The same again for the eye, with the room that it needs.
        <span
          aria-hidden="true"
          class={`block-open${side.isLeft ? " block-open-left" : ""}${side.isUp ? " block-open-up" : ""}`}
        >
          <span class="block-time">
            {timeOf(localStart)}–{timeOf(localEnd)} {ownZone}
          </span>
          <span class="block-name">{session.serviceTypeName}</span>
          <span>
            {isCancelled ? t.cancelled : t.seatsLabel(bookedCount, capacity)}
            {isFull && <strong> · {t.full}</strong>}
          </span>
          {about.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </span>
      )}
    </button>
  );
}
