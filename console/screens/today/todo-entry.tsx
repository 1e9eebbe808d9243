import type { ComponentChildren } from "preact";
import { shortDate, timeOf } from "../../languages/format.ts";
import { todoWords } from "./todo-words.ts";

/** One line of a list of what is to do: whom or what it is about, and what does it. */
export function TodoEntry({
  title,
  href,
  children,
  action,
}: {
  readonly title: string;
  readonly href?: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <li class="todo-item">
      <div>
        <p>{href === undefined ? <strong>{title}</strong> : <a href={href}>{title}</a>}</p>
        {children}
      </div>
      {action}
    </li>
  );
}

export const profileOf = (clientId: string) => `/console/clients/${clientId}`;

interface NamedTime {
  readonly serviceTypeName: string;
  readonly localStart: string;
}

export function SessionTime({ session }: { readonly session: NamedTime }) {
  const { serviceTypeName, localStart } = session;
  return <>{todoWords().session(serviceTypeName, shortDate(localStart), timeOf(localStart))}</>;
}
