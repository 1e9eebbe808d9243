import { useEffect, useRef } from "preact/hooks";

/**
 * Parts of a screen as links: each has an address, and the browser's back goes between them. On a phone they may be wider than
 * the window: the current one is moved into sight.
 */
export function Tabs({
  label,
  tabs,
  current,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly label: string; readonly href: string }[];
  readonly current: string;
}) {
  const shown = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    shown.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, label: text, href }) => (
        <a
          key={name}
          href={href}
          ref={name === current ? shown : null}
          aria-current={name === current ? "page" : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}
