import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Reading } from "../api/reads.ts";
import { dictionary } from "../languages/words.ts";
import { ProblemNotice } from "./notice.tsx";
import { useWindowTitle } from "./window-title.ts";

const words = dictionary({ loading: "Loading" }, { loading: "Carregando" }, { loading: "Cargando" });

/** The head of a screen and what is below it. The title is also that of the window, and has the focus after a change of screen. */
export function Page({
  title,
  actions,
  children,
  subtitle,
}: {
  readonly title: string;
  readonly subtitle?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useWindowTitle(title);
  useLayoutEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.closest("nav"))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-titles">
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {subtitle && <p class="page-subtitle">{subtitle}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** In the place of a screen that is not there: what is missing is its title, and below it is a way on. */
export function MissingPage({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <Page title={title}>
      <p>{children}</p>
    </Page>
  );
}

/** Grey bars in the place of what is loading; they appear after 150 ms, so that quick answers do not flicker. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  const t = words();
  return (
    <div class="skeleton" role="status" aria-label={t.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton-line" />
      ))}
    </div>
  );
}

/** What was read, or what is there instead: bars while it loads, the sentence of a problem. */
export function Shown<Data>({
  reading,
  lines,
  children,
}: {
  readonly reading: Reading<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ComponentChildren;
}) {
  if (reading.data !== undefined) return <>{children(reading.data)}</>;
  if (reading.problem) return <ProblemNotice problem={reading.problem} />;
  return <Skeleton {...(lines !== undefined && { lines })} />;
}

/** A part of a screen with a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
