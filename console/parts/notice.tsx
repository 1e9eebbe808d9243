import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem.ts";
import { Icon, type IconName } from "./icon.tsx";

type Tone = "info" | "good" | "warning" | "bad";
const ICONS: Record<Tone, IconName> = { info: "info", good: "check", warning: "warning", bad: "warning" };

/** A sentence that matters, in its own box. */
export function Notice({
  tone = "info",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={ICONS[tone]} />
      <div>{children}</div>
    </div>
  );
}

/** What a write was refused with: its sentence, and faults that no field shows. `shown` are the members that have one. */
export function ProblemNotice({
  problem,
  shown = [],
}: {
  readonly problem: Problem | undefined;
  readonly shown?: readonly string[];
}) {
  if (!problem) return null;
  const others = problem.faultsBeside(shown);
  return (
    <Notice tone="bad">
      <p>{problem.message}</p>
      {others.length > 0 && (
        <ul>
          {others.map(({ location, message }) => (
            <li key={location}>{message}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

/** A word with a colour; the word alone says it. */
export function Badge({
  tone = "plain",
  children,
}: {
  readonly tone?: "plain" | "good" | "warning" | "bad" | "accent";
  readonly children: ComponentChildren;
}) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** There is nothing here yet: why, and what to do. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
