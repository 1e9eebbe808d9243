import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly onChoose: () => void;
  readonly isDangerous?: boolean;
}

/** A button that opens a few actions, with the browser's own popover: arrow keys move, Escape closes. */
export function Menu({
  label,
  icon = "more",
  items,
  children,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
  readonly children?: ComponentChildren;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const place = () => {
    const [at, box] = [button.current?.getBoundingClientRect(), list.current];
    if (!at || !box) return;
    const below = at.bottom + 4;
    box.style.top = `${Math.max(8, below + box.offsetHeight > innerHeight ? at.top - box.offsetHeight - 4 : below)}px`;
    box.style.left = `${Math.max(8, Math.min(at.right - box.offsetWidth, innerWidth - box.offsetWidth - 8))}px`;
  };
  const move = (event: KeyboardEvent) => {
    const entries = [...(list.current?.querySelectorAll("button") ?? [])];
    const current = entries.indexOf(document.activeElement as HTMLButtonElement);
    const steps: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1 + (current < 0 ? 1 : 0),
      Home: 0,
      End: entries.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    entries[(next + entries.length) % entries.length]?.focus();
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        class={children ? "button button-quiet" : "icon-button"}
        popovertarget={id}
        // The second click of a double click leaves open what the first has opened.
        onClick={(event) => {
          if (event.detail > 1) event.preventDefault();
        }}
        aria-haspopup="menu"
        aria-label={children ? undefined : label}
        title={children ? undefined : label}
      >
        {children ?? <Icon name={icon} />}
      </button>
      <div
        id={id}
        ref={list}
        popover="auto"
        class="menu"
        role="menu"
        aria-label={label}
        onKeyDown={move}
        onToggle={(event) => {
          if (event.newState !== "open") return;
          place();
          list.current?.querySelector("button")?.focus();
        }}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            class={item.isDangerous ? "menu-item menu-item-danger" : "menu-item"}
            onClick={() => {
              list.current?.hidePopover();
              button.current?.focus();
              item.onChoose();
            }}
          >
            {item.icon && <Icon name={item.icon} />}
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
