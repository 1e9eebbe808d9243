/** Parts of a screen as links: each has an address, and the browser's back goes between them. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly label: string; readonly href: string }[];
  readonly current: string;
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, label: text, href }) => (
        <a key={name} href={href} aria-current={name === current ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
