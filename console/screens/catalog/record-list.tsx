import type { ComponentChildren } from "preact";
import type { StaffRole } from "../../frame/me.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { go, route } from "../../frame/router.ts";
import type { MenuItem } from "../../parts/menu.tsx";
import { Menu } from "../../parts/menu.tsx";
import { addressOfPart, type CatalogPart, openRecord, showsArchived } from "./addresses.ts";
import { words } from "./words.ts";

/** Whether somebody may write what belongs to the whole organization: the role, and no list of places. */
export function useMayEverywhere(role: StaffRole): boolean {
  const { staff } = useMe();
  return useMay(role) && staff.allLocations;
}

/** The line above a list: what is in use or what is not, and how to add to it. */
export function ListHead({
  archived,
  active,
  action,
}: {
  readonly active: string;
  readonly archived: string;
  readonly action?: ComponentChildren;
}) {
  const t = words();
  const { pathname } = location;
  // Read so that it is drawn again when the address changes.
  const isArchived = showsArchived() && route.value.screen === "catalog";
  return (
    <div class="list-head">
      <nav class="list-switch" aria-label={t.which}>
        <a href={pathname} aria-current={isArchived ? undefined : "page"}>
          {active}
        </a>
        <a href={`${pathname}?show=archived`} aria-current={isArchived ? "page" : undefined}>
          {archived}
        </a>
      </nav>
      {action}
    </div>
  );
}

/** The name of a record in its list; whoever may change it opens it there. */
export function RecordName({
  part,
  id,
  name,
  mayOpen,
}: {
  readonly part: CatalogPart;
  readonly id: string;
  readonly name: string;
  readonly mayOpen: boolean;
}) {
  if (!mayOpen) return <strong>{name}</strong>;
  return (
    <a
      class="record-name"
      href={addressOfPart(part, id) + location.search}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        if (part === "plans") void go(addressOfPart(part, id));
        else openRecord(part, id);
      }}
    >
      {name}
    </a>
  );
}

/** What can be done to a record, if anything. */
export function RecordMenu({
  name,
  items,
}: {
  readonly name: string;
  readonly items: readonly (MenuItem | false)[];
}) {
  const t = words();
  const offered = items.filter((item): item is MenuItem => item !== false);
  return offered.length === 0 ? null : <Menu label={t.actions(name)} items={offered} />;
}

/** Sorted as the person's language does. */
export function byName<Record extends { readonly name: string }>(
  records: readonly Record[],
): readonly Record[] {
  return [...records].sort((a, b) => a.name.localeCompare(b.name, document.documentElement.lang));
}
