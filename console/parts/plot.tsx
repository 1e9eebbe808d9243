import type { ComponentChildren } from "preact";
import { count } from "../languages/format.ts";
import { dictionary } from "../languages/words.ts";
import { type Column, Table } from "./table.tsx";
import "./plot.css";

/** What is drawn for each row: the first series is filled, the second has an outline, so that colour is never alone. */
export interface PlotSeries {
  readonly name: string;
  readonly tone: "accent" | "warning" | "bad";
}

export interface PlotRow {
  readonly key: string;
  /** Under the plot. */
  readonly label: string;
  /** In the table, if another. */
  readonly title?: string;
  /** One for each series. */
  readonly values: readonly number[];
}

const words = dictionary(
  { table: "Show as a table" },
  { table: "Mostrar como tabela" },
  { table: "Mostrar como tabla" },
);

/** How wide a plot is where there is room and where there is little, and about how wide a letter is, in pixels. */
const [WIDE, NARROW, LETTER] = [450, 260, 7];

/**
 * Numbers over time: a line, bars side by side, or bars on top of each other. Shapes are drawn in a box that is stretched to
 * its room, texts beside it, so that they have one size everywhere. The table has the same numbers.
 */
export function Plot({
  kind,
  title,
  rowTitle,
  series,
  inTable = [],
  rows,
  format = count,
  scaleFormat = format,
  summary,
}: {
  readonly kind: "line" | "bars" | "stack";
  readonly title: string;
  /** What a row is: "Month". */
  readonly rowTitle: string;
  readonly series: readonly PlotSeries[];
  /** Values after those of the series, which the table alone has. */
  readonly inTable?: readonly string[];
  readonly rows: readonly PlotRow[];
  /** How a value is written, and at the scale. */
  readonly format?: (value: number) => string;
  readonly scaleFormat?: (value: number) => string;
  /** Said instead of the picture to readers of screens. */
  readonly summary: string;
}) {
  const t = words();
  const heights = rows.map(({ values: all }) => {
    const values = all.slice(0, series.length);
    return kind === "stack" ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const top = niceTop(Math.max(0, ...heights));
  const columns: Column<PlotRow>[] = [
    { title: rowTitle, cell: ({ label, title: long }) => long ?? label },
    ...[...series.map(({ name }) => name), ...inTable].map((name, place) => ({
      title: name,
      isNumber: true,
      cell: ({ values }: PlotRow) => format(values[place] ?? 0),
    })),
  ];
  return (
    <figure class="plot">
      {series.length > 1 && <Legend series={series} />}
      <div class="plot-frame">
        <div class="plot-scale" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{scaleFormat(value)}</span>
          ))}
        </div>
        <svg
          class="plot-picture"
          viewBox={`0 0 ${Math.max(1, rows.length)} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={summary}
        >
          {[0, 50, 100].map((height) => (
            <line key={height} class="plot-line" x1={0} x2={rows.length} y1={height} y2={height} />
          ))}
          {kind === "line" ? (
            <Line rows={rows} top={top} tone={series[0]?.tone ?? "accent"} format={format} />
          ) : (
            rows.map((row, place) => (
              <Bars
                key={row.key}
                row={row}
                place={place}
                top={top}
                series={series}
                format={format}
                isStacked={kind === "stack"}
              />
            ))
          )}
        </svg>
        <div class="plot-labels" aria-hidden="true">
          {rows.map(({ key, label }, place) => (
            <span key={key} class={labelClass(place, rows)}>
              <span>{label}</span>
            </span>
          ))}
        </div>
      </div>
      <details class="plot-table">
        <summary>{t.table}</summary>
        <Table caption={title} columns={columns} rows={rows} keyOf={({ key }) => key} />
      </details>
    </figure>
  );
}

function Legend({ series }: { readonly series: readonly PlotSeries[] }): ComponentChildren {
  return (
    <ul class="plot-legend">
      {series.map(({ name, tone }, place) => (
        <li key={name}>
          <svg viewBox="0 0 14 14" width={14} height={14} aria-hidden="true">
            <rect class={shapeClass(tone, place)} x={1} y={1} width={12} height={12} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function Bars({
  row,
  place,
  top,
  series,
  format,
  isStacked,
}: {
  readonly row: PlotRow;
  readonly place: number;
  readonly top: number;
  readonly series: readonly PlotSeries[];
  readonly format: (value: number) => string;
  readonly isStacked: boolean;
}) {
  const width = isStacked ? BAR_ROOM : BAR_ROOM / series.length;
  let below = 0;
  return (
    <g>
      <title>{`${row.title ?? row.label}: ${series.map(({ name }, at) => `${name} ${format(row.values[at] ?? 0)}`).join(", ")}`}</title>
      {series.map(({ name, tone }, at) => {
        // Less than nothing has no bar: the table has it.
        const height = (Math.max(0, row.values[at] ?? 0) / top) * 100;
        const x = place + (1 - BAR_ROOM) / 2 + (isStacked ? 0 : at * width);
        const y = 100 - height - below;
        if (isStacked) below += height;
        return height === 0 ? null : (
          <rect key={name} class={shapeClass(tone, at)} x={x} y={y} width={width} height={height} />
        );
      })}
    </g>
  );
}

/** What part of its room a bar, or a group of them, takes. */
const BAR_ROOM = 0.7;

function Line({
  rows,
  top,
  tone,
  format,
}: {
  readonly rows: readonly PlotRow[];
  readonly top: number;
  readonly tone: string;
  readonly format: (value: number) => string;
}) {
  const points = rows.map(
    ({ values }, place) => [place + 0.5, 100 - ((values[0] ?? 0) / top) * 100] as const,
  );
  const path = points.map(([x, y]) => `${x},${y}`).join(" ");
  const [first = 0, last = 0] = [points[0]?.[0], points.at(-1)?.[0]];
  return (
    <>
      <polygon class={`plot-area plot-${tone}`} points={`${first},100 ${path} ${last},100`} />
      <polyline class={`plot-curve plot-${tone}`} points={path} />
      {rows.map((row, place) => (
        <rect key={row.key} class="plot-hover" x={place} y={0} width={1} height={100}>
          <title>{`${row.title ?? row.label}: ${format(row.values[0] ?? 0)}`}</title>
        </rect>
      ))}
    </>
  );
}

function shapeClass(tone: PlotSeries["tone"], place: number): string {
  return `${place === 0 ? "plot-filled" : "plot-outlined"} plot-${tone}`;
}

/** The last label always stands, and as many others at even distances before it as fit. */
function labelClass(place: number, rows: readonly PlotRow[]): string | undefined {
  const room = Math.max(...rows.map(({ label }) => label.length)) * LETTER + 8;
  const isShown = (width: number) =>
    (rows.length - 1 - place) % Math.ceil(rows.length / Math.max(1, Math.floor(width / room))) === 0;
  return !isShown(WIDE) ? "plot-label-hidden" : !isShown(NARROW) ? "plot-label-extra" : undefined;
}

/** A round number that is not below, and whose half is a whole one. */
function niceTop(value: number): number {
  for (let power = 1; ; power *= 10)
    for (const step of [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]) {
      const top = step * power;
      if (top >= value && Number.isInteger(top / 2)) return top;
    }
}
