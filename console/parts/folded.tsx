import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** Something that few look at, behind a line; drawn when it is unfolded. */
export function Folded({
  summary,
  children,
}: {
  readonly summary: string;
  readonly children: () => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="folded" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
