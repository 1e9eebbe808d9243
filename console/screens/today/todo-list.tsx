import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { count } from "../../languages/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { route, setQuery } from "../../routing/router.ts";
import type { TodoName } from "./todo-types.ts";
import { words } from "./words.ts";

const ICONS: Record<TodoName, IconName> = {
  toTell: "phone",
  uncovered: "ticket",
  unmarked: "check",
  ending: "clock",
  overdue: "warning",
  owes: "banknote",
};
const NAMES = Object.keys(ICONS) as TodoName[];

const [StorageNotice] = lazyDialog(async () => (await import("./storage-notice.tsx")).StorageNotice);
const [TodoPanel, fetchTodoPanel] = lazyDialog(async () => (await import("./todo-panel.tsx")).TodoPanel);

/** What is left to do, counted; each opens its list, which has an address. */
export function TodoList({ locationId }: { readonly locationId: string | undefined }) {
  const t = words();
  const todo = useRead("/app/v1/todo", { query: { locationId } }, { keepsLast: true });
  const webhooks = useRead(useMay("owner") ? "/app/v1/webhooks" : undefined);
  const troubled = webhooks.data?.data.filter(isTroubled).length ?? 0;
  const opened = NAMES.find((name) => name === route.value.query.get("todo"));
  return (
    <Section title={t.todo}>
      {useMe().storage && <StorageNotice />}
      <Shown reading={todo} lines={3}>
        {(data) => {
          const left = NAMES.filter((name) => data[name].total > 0);
          return left.length === 0 && troubled === 0 ? (
            <p class="soft">
              <Icon name="check" /> {t.done}
            </p>
          ) : (
            <ul class="todo-list">
              {left.map((name) => (
                <li key={name}>
                  <button
                    type="button"
                    class="todo-entry"
                    aria-haspopup="dialog"
                    onPointerEnter={() => void fetchTodoPanel().catch(() => {})}
                    onClick={() => setQuery({ todo: name }, { replace: false })}
                  >
                    <Icon name={ICONS[name]} />
                    <span>{t.lists[name]}</span>
                    <strong>{count(data[name].total)}</strong>
                  </button>
                </li>
              ))}
              {troubled > 0 && (
                <li>
                  <a class="todo-entry" href="/console/settings/webhooks">
                    <Icon name="warning" />
                    <span>{t.webhooks}</span>
                    <strong>{count(troubled)}</strong>
                  </a>
                </li>
              )}
            </ul>
          );
        }}
      </Shown>
      {opened && todo.data && (
        <TodoPanel name={opened} todo={todo.data} onClose={() => setQuery({ todo: undefined })} />
      )}
    </Section>
  );
}

/** So long may an endpoint fail before its owners are told: most come back by themselves. */
const PATIENCE_MS = 3_600_000;

/** Whether somebody should look after a webhook: it fails for long, or was disabled, and not by an owner. */
function isTroubled({ state, reason, failingSince }: Schemas["Webhook"]): boolean {
  if (state === "disabled") return reason !== "owner";
  return failingSince !== undefined && Date.parse(failingSince) < Date.now() - PATIENCE_MS;
}
