import type { ComponentChildren } from "preact";
import type { StaffRole } from "../../frame/me.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { inOrderOf } from "../../languages/order.ts";
import { language } from "../../languages/words.ts";
import type { IconName } from "../../parts/icon.tsx";
import type { MenuItem } from "../../parts/menu.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Empty } from "../../parts/notice.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { go, route } from "../../routing/router.ts";
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

/** The records of a list with what can be done to each; without records, what they would be and how to add one. */
export function RecordTable<Item extends { readonly id: string }>({
  caption,
  rows,
  total = rows.length,
  columns,
  menu,
  empty,
  isArchived = false,
}: {
  readonly caption: string;
  readonly rows: readonly Item[];
  /** How many there are, if these are a page of them. */
  readonly total?: number;
  readonly columns: readonly Column<Item>[];
  readonly menu: (record: Item) => ComponentChildren;
  readonly empty: {
    readonly icon: IconName;
    readonly title: string;
    readonly text: string;
    readonly action: ComponentChildren;
  };
  /** Whether these are the records that are out of use. */
  readonly isArchived?: boolean;
}) {
  const t = words();
  if (total === 0)
    return isArchived ? (
      <Empty icon={empty.icon} title={t.nothingArchived} />
    ) : (
      <Empty icon={empty.icon} title={empty.title} action={empty.action}>
        {empty.text}
      </Empty>
    );
  const actions: Column<Item> = { title: t.actionsTitle, isTitleHidden: true, cell: menu };
  return <Table caption={caption} rows={rows} keyOf={({ id }) => id} columns={[...columns, actions]} />;
}

/** What can be done to a record, if anything: what is `false` is not offered. */
export function RecordMenu({
  name,
  edit,
  use = false,
  remove = false,
}: {
  readonly name: string;
  readonly edit: (() => void) | false;
  /** Takes the record out of use, or back. */
  readonly use?: MenuItem | false;
  readonly remove?: (() => void) | false;
}) {
  const t = words();
  const items: readonly (MenuItem | false)[] = [
    edit && { label: t.edit, icon: "edit", onChoose: edit },
    use,
    remove && { label: t.remove, icon: "delete", isDangerous: true, onChoose: remove },
  ];
  const offered = items.filter((item) => item !== false);
  return offered.length === 0 ? null : <Menu label={t.actions(name)} items={offered} />;
}

/** The entry of a menu that archives a record, or restores it if it is archived. */
export function archiveItem(
  status: "active" | "archived",
  { archive, restore }: { readonly archive: () => void; readonly restore: () => void },
): MenuItem {
  const t = words();
  return status === "active"
    ? { label: t.archive, icon: "archive", onChoose: archive }
    : { label: t.restore, icon: "restore", onChoose: restore };
}

/** Sorted as the person's language does. */
export function byName<Record extends { readonly name: string }>(
  records: readonly Record[],
): readonly Record[] {
  return inOrderOf(records, ({ name }) => name, language.value);
}
