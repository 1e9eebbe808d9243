import type { Answer } from "../../api/reads.ts";
import { useRead } from "../../api/reads.ts";
import { route, setQuery } from "../../frame/router.ts";
import { count } from "../../languages/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { words } from "./words.ts";

export type Todo = Answer<"/app/v1/todo">;
export type TodoName = Exclude<keyof Todo, "$schema">;

const ICONS: Record<TodoName, IconName> = {
  toTell: "phone",
  uncovered: "ticket",
  unmarked: "check",
  ending: "clock",
  overdue: "warning",
};
const NAMES = Object.keys(ICONS) as TodoName[];

const [TodoPanel, fetchTodoPanel] = lazyDialog(async () => (await import("./todo-panel.tsx")).TodoPanel);

/** What is left to do, counted; each opens its list, which has an address. */
export function TodoList({ locationId }: { readonly locationId: string | undefined }) {
  const t = words();
  const todo = useRead("/app/v1/todo", { query: { locationId } }, { keepsLast: true });
  const opened = NAMES.find((name) => name === route.value.query.get("todo"));
  return (
    <Section title={t.todo}>
      <Shown reading={todo} lines={3}>
        {(data) => {
          const left = NAMES.filter((name) => data[name].total > 0);
          return left.length === 0 ? (
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
