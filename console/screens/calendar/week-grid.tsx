import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, localIn, timeOf, weekdayOf } from "../../languages/format.ts";
import { language } from "../../languages/words.ts";
import { clockChangeOn } from "./clocks.ts";
import { drag, useGridPointer } from "./dragging.ts";
import {
  DESK_SIZES,
  type HourScale,
  heightOf,
  minuteAt,
  PHONE_SIZES,
  placeBlocks,
  scaleHours,
  topOf,
} from "./hour-scale.ts";
import type { Hue } from "./hues.ts";
import {
  type Block,
  type CalendarSession,
  type DayPlacement,
  elementsOf,
  neighbourOf,
  placeSessions,
  usedHours,
} from "./placement.ts";
import { SessionBlock } from "./session-block.tsx";
import { words } from "./words.ts";

interface WeekGridProps {
  /** What it shows, for readers of screens. */
  readonly label: string;
  readonly dates: readonly string[];
  readonly sessions: readonly CalendarSession[];
  readonly isLoading: boolean;
  /** One day at a time: on a phone the others are a swipe away. */
  readonly view: "week" | "day";
  readonly date: string;
  readonly today: string;
  readonly isNarrow: boolean;
  readonly hasWholeDay: boolean;
  readonly hasLocations: boolean;
  /** On whose clock the line of the present is. */
  readonly timezone: string;
  readonly hueOf: (session: CalendarSession) => Hue | undefined;
  readonly canMove: (session: CalendarSession) => boolean;
  readonly onOpen: (session: CalendarSession) => void;
  readonly onMove: (session: CalendarSession, start: string) => void;
  readonly onAdd: ((date: string, time: string) => void) | undefined;
  readonly onDay: (date: string) => void;
  readonly onSwipe: (date: string) => void;
  readonly onTurn: (step: -1 | 1) => void;
}

/** Narrower than this a name is cut. */
const LEAST_LANE_PIXELS = 150;
const LEAST_COLUMN_PIXELS = 100;
const MOST_LANES = 200;
/** What is known of a session opens upwards this near to the foot of the grid. */
const FOOT_PIXELS = 160;

/** Days beside each other, hours below each other, sessions where they take place. */
export function WeekGrid(props: WeekGridProps) {
  const { dates, sessions, view, date, today, isNarrow, hasWholeDay, timezone } = props;
  const t = words();
  const root = useRef<HTMLElement>(null);
  const width = useWidth(root);
  const isStrip = view === "day" && isNarrow;
  const columns = view === "week" || isStrip ? dates : [date];
  const column = Math.max(isStrip ? width : width / columns.length, LEAST_COLUMN_PIXELS);
  const mostLanes = columns.length === 1 ? MOST_LANES : Math.max(1, Math.floor(column / LEAST_LANE_PIXELS));
  const days = useMemo(
    () => placeSessions(sessions, columns, mostLanes),
    [sessions, columns.join(), mostLanes],
  );
  const used = useMemo(() => usedHours(days), [days]);
  // While another week loads, the hours stay as they are.
  const lastUsed = useRef(used);
  if (!props.isLoading) lastUsed.current = used;
  const [firstHour, lastHour] = hasWholeDay ? [0, 24] : lastUsed.current;
  const sizes = isNarrow ? PHONE_SIZES : DESK_SIZES;
  const scale = useMemo(
    () => scaleHours(days, [firstHour, lastHour], sizes),
    [days, firstHour, lastHour, sizes],
  );
  const byKey = useMemo(
    () => new Map(days.flatMap(({ blocks }) => blocks.map((block) => [block.key, block] as const))),
    [days],
  );

  const elements = useElements(days);

  const active = useSignal<string | undefined>(undefined);
  const focus = (key: string) =>
    root.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  // Asked before the elements change: one that is taken out loses it.
  const hasFocus = root.current?.querySelector("[data-key]:focus") != null;
  const isFocusOwed = useRef(false);
  useLayoutEffect(() => {
    if (active.value === undefined || !byKey.has(active.value)) active.value = firstToReach(days, today);
    isFocusOwed.current ||= hasFocus;
    // Until another week is there, nothing can have it.
    if (!isFocusOwed.current || active.value === undefined) return;
    isFocusOwed.current = false;
    if (document.activeElement?.matches("body, [data-key]")) focus(active.value);
  }, [days]);
  const now = useNow(timezone);

  const latest = useRef(props);
  latest.current = props;
  const moveTo = (key: string, move: string): boolean => {
    if (move === "PageUp" || move === "PageDown") {
      latest.current.onTurn(move === "PageUp" ? -1 : 1);
      return true;
    }
    const next = neighbourOf(days, key, move);
    if (next === undefined) return false;
    focus(next);
    return true;
  };
  const shown = useSignal<string | undefined>(undefined);
  useGridPointer(root, {
    minuteAt: (share) => minuteAt(scale, share * heightOf(scale)),
    canMove: (key) => {
      const block = byKey.get(key);
      return block !== undefined && !block.isContinued && props.canMove(block.session);
    },
    beginOf: (key) => byKey.get(key)?.from ?? 0,
    onDrop: ({ key, date: day, from }) => {
      const block = byKey.get(key);
      if (block && (block.date !== day || block.from !== from))
        props.onMove(block.session, `${day}T${clock(from)}`);
    },
    onEmpty: (day, minute) => props.onAdd?.(day, clock(minute)),
  });
  useSwipe(root, isStrip, date, (day) => latest.current.onSwipe(day));

  // Drawn again only when something on it changes: a dialog that opens leaves hundreds of sessions alone. Another week is
  // written into the elements of this one, which takes half the time of making new ones.
  const drawn = useMemo(
    () =>
      days.map(({ date: day, blocks }, place) => {
        const places = placeBlocks(blocks, scale, sizes);
        const change = clockChangeOn(day, timezone);
        const hours = count(Math.abs(change) / 60);
        return (
          <div key={place} class={`day-column${day === today ? " day-today" : ""}`}>
            <header class="day-head">
              <h2>
                <button type="button" class="day-name" onClick={() => latest.current.onDay(day)}>
                  <span>{weekdayOf(day, isStrip || view === "day" ? "long" : "short")}</span>{" "}
                  <strong aria-current={day === today ? "date" : undefined}>{Number(day.slice(8))}</strong>
                </button>
              </h2>
              {change !== 0 && (
                <small class="day-clock">{change > 0 ? t.clockForward(hours) : t.clockBack(hours)}</small>
              )}
            </header>
            <div
              class="day-hours"
              data-date={day}
              style={{
                "--lanes-needed": Math.max(1, ...blocks.map((block) => (block.isHeaped ? 1 : block.lanes))),
              }}
            >
              {day === today && now.date === day && (
                <div class="calendar-now" style={{ "--y": topOf(scale, now.minute) }} aria-hidden="true" />
              )}
              {inDrawingOrder(blocks).map((block) => {
                const at = places.get(block.key) ?? { top: 0, height: 0 };
                return (
                  <SessionBlock
                    key={elements[place]?.get(block.key)}
                    block={block}
                    place={at}
                    hue={props.hueOf(block.session)}
                    active={active}
                    shown={shown}
                    side={
                      view === "week"
                        ? {
                            isLeft: place >= columns.length / 2,
                            isUp: at.top > heightOf(scale) - FOOT_PIXELS,
                          }
                        : undefined
                    }
                    isPast={Date.parse(block.session.endAt) < Date.now()}
                    hasLocation={props.hasLocations}
                    timezone={timezone}
                    hasClockChange={change !== 0}
                    isCrowded={view === "week" || isStrip}
                    onOpen={({ session }) => {
                      shown.value = undefined;
                      latest.current.onOpen(session);
                    }}
                    onMoveTo={moveTo}
                    onFocus={(key) => {
                      active.value = key;
                    }}
                  />
                );
              })}
              <Ghost date={day} byKey={byKey} scale={scale} />
            </div>
          </div>
        );
      }),
    [
      days,
      scale,
      props.hueOf,
      today,
      timezone,
      now.minute,
      language.value,
      props.hasLocations,
      isStrip,
      view,
    ],
  );
  return (
    <section
      ref={root}
      class={`calendar calendar-${isStrip ? "strip" : view}`}
      aria-label={props.label}
      aria-busy={props.isLoading}
      style={{ "--total": heightOf(scale), "--days": columns.length, "--lines-of-hours": linesOf(scale) }}
    >
      <div class="calendar-axis" aria-hidden="true">
        {Array.from({ length: lastHour - firstHour }, (_, place) => (
          <span key={place} style={{ "--h": (scale.tops[place + 1] ?? 0) - (scale.tops[place] ?? 0) }}>
            {clock((firstHour + place) * 60)}
          </span>
        ))}
      </div>
      {drawn}
    </section>
  );
}

/** In a heap what is further down lies over what is further up, also where clocks of other zones have another order. */
function inDrawingOrder(blocks: readonly Block[]): readonly Block[] {
  if (!blocks.some(({ isHeaped }) => isHeaped)) return blocks;
  return [...blocks].sort((one, other) => one.from - other.from);
}

/** Where a session would be, while it is dragged. */
function Ghost({
  date,
  byKey,
  scale,
}: {
  readonly date: string;
  readonly byKey: ReadonlyMap<string, Block>;
  readonly scale: HourScale;
}) {
  const dragged = drag.value;
  const block = dragged?.date === date ? byKey.get(dragged.key) : undefined;
  if (!dragged || !block) return null;
  const top = topOf(scale, dragged.from);
  const height = topOf(scale, dragged.from + block.to - block.from) - top;
  return (
    <div class="block block-ghost" style={{ "--y": top, "--h": height, "--lane": 0, "--lanes": 1 }}>
      <span class="block-time">{clock(dragged.from)}</span>{" "}
      <span class="block-name">{block.session.serviceTypeName}</span>
    </div>
  );
}

/** A line where each hour begins. */
function linesOf({ tops }: HourScale): string {
  const lines = tops.slice(0, -1).map((top, place) => {
    const [begin, next] = [top, tops[place + 1] ?? top].map((pixels) => `calc(${pixels} * var(--unit))`);
    return `var(--line) ${begin}, var(--line) calc(${begin} + 1px), transparent calc(${begin} + 1px), transparent ${next}`;
  });
  return `linear-gradient(to bottom, ${lines.join(", ")})`;
}

/** `07:30` for 450 minutes. */
function clock(minute: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return timeOf(`2026-01-01T${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`);
}

/** The next session of today, or the first one that is shown. */
function firstToReach(
  days: readonly { readonly date: string; readonly blocks: readonly Block[] }[],
  today: string,
): string | undefined {
  const coming = days
    .find(({ date }) => date === today)
    ?.blocks.find(({ session }) => Date.parse(session.endAt) > Date.now());
  return (coming ?? days.find(({ blocks }) => blocks.length > 0)?.blocks[0])?.key;
}

/** The element of each session, day by day, as long as it is shown. */
function useElements(days: readonly DayPlacement[]): readonly ReadonlyMap<string, number>[] {
  const last = useRef<readonly ReadonlyMap<string, number>[]>([]);
  return useMemo(() => {
    last.current = days.map(({ blocks }, place) => elementsOf(blocks, last.current[place]));
    return last.current;
  }, [days]);
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(innerWidth);
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return undefined;
    let frame = 0;
    // In the next frame: what is drawn then is of another height, and observers must not be told of what they have caused.
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setWidth(shown.clientWidth));
    });
    observer.observe(shown);
    setWidth(shown.clientWidth);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, []);
  return width;
}

/** The present on the clocks of a time zone, minute by minute. */
function useNow(timezone: string): { readonly date: string; readonly minute: number } {
  const [ms, setMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setMs(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  const local = localIn(ms, timezone);
  return {
    date: local.slice(0, 10),
    minute: Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16)),
  };
}

/** Keeps the day in view that the address names, and the address at the day in view. */
function useSwipe(
  element: { readonly current: HTMLElement | null },
  isOn: boolean,
  date: string,
  onSwipe: (date: string) => void,
): void {
  const shown = useRef("");
  useLayoutEffect(() => {
    if (!isOn || shown.current === date) return;
    shown.current = date;
    const strip = element.current;
    const day = strip?.querySelector(`[data-date="${date}"]`)?.closest<HTMLElement>(".day-column");
    if (strip && day) strip.scrollLeft = day.offsetLeft - strip.offsetLeft - axisWidth(strip);
  }, [isOn, date]);
  useEffect(() => {
    const strip = element.current;
    if (!isOn || !strip) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      const left = strip.getBoundingClientRect().left + axisWidth(strip);
      const near = [...strip.querySelectorAll(".day-column")].sort(
        (a, b) =>
          Math.abs(a.getBoundingClientRect().left - left) - Math.abs(b.getBoundingClientRect().left - left),
      )[0];
      const day = near?.querySelector("[data-date]")?.getAttribute("data-date");
      if (!day || day === shown.current) return;
      shown.current = day;
      onSwipe(day);
    };
    // Not all browsers have scrollend.
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(settle, 120);
    };
    strip.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      strip.removeEventListener("scroll", onScroll);
    };
  }, [isOn]);
}

function axisWidth(strip: HTMLElement): number {
  return strip.querySelector(".calendar-axis")?.clientWidth ?? 0;
}
