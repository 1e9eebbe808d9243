import { signal } from "@preact/signals";

/** Where one is: `/console/clients/ID?query=silva` is the screen `clients` with `rest` `["ID"]`. */
export interface Route {
  readonly screen: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const BASE = "/console/";

export const route = signal<Route>(readRoute());

/** What asks before one leaves: a form with changes that are not saved. */
let askBeforeLeaving: (() => Promise<boolean>) | undefined;

function readRoute(): Route {
  const [screen = "", ...rest] = decodeURI(location.pathname).slice(BASE.length).split("/").filter(Boolean);
  return { screen: screen === "" ? "today" : screen, rest, query: new URLSearchParams(location.search) };
}

/**
 * Goes to an address of the console; with `replace`, back does not return to this one. With `keepsPlace` the page is not
 * scrolled to its top: something opens or closes over a list. With `isSaved` nobody is asked about unsaved changes.
 */
export async function go(
  address: string,
  {
    replace = false,
    keepsPlace = false,
    isSaved = false,
  }: { readonly replace?: boolean; readonly keepsPlace?: boolean; readonly isSaved?: boolean } = {},
): Promise<void> {
  if (address === location.pathname + location.search) return;
  const isSamePage = address.split("?")[0] === location.pathname;
  if (!isSamePage && !isSaved && askBeforeLeaving && !(await askBeforeLeaving())) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  follow(isSamePage || keepsPlace);
}

/** Changes parameters of the address, so that it can be shared and come back to; `undefined` or "" takes one away. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  { replace = true } = {},
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  void go(text === "" ? location.pathname : `${location.pathname}?${text}`, { replace });
}

/** Has `ask` called before the person leaves; returns what ends that. */
export function guardLeaving(ask: () => Promise<boolean>): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  askBeforeLeaving = ask;
  addEventListener("beforeunload", warn);
  return () => {
    if (askBeforeLeaving === ask) askBeforeLeaving = undefined;
    removeEventListener("beforeunload", warn);
  };
}

/** Links to addresses of the console change the screen without loading the page. */
export function followLinks(): void {
  addEventListener("popstate", () => follow(false));
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link?.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(BASE) || link.hash !== "") return;
    event.preventDefault();
    void go(link.pathname + link.search);
  });
}

function follow(keepsPlace: boolean): void {
  route.value = readRoute();
  if (!keepsPlace) scrollTo(0, 0);
}
