import { signal } from "@preact/signals";

/** Where one is: `/console/clients/ID?query=silva` is the screen `clients` with `rest` `["ID"]`. */
export interface Route {
  readonly screen: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const BASE = "/console/";

export const route = signal<Route>(readRoute());

/** What asks before one leaves: forms with changes that are not saved. */
const guards: (() => Promise<boolean>)[] = [];
/** The same for the browser's back and forward alone, whatever address they lead to. */
const stepGuards: StepGuard[] = [];

export interface StepGuard {
  /** Whether there is something to lose now. */
  readonly isNeeded: () => boolean;
  readonly ask: () => Promise<boolean>;
}

/** Which entry of the browser's history is shown, so that a step back or forward can be taken back. */
let shown = { place: 0, path: location.pathname };
/** The entry that somebody was asked about and may go to. */
let allowedPlace: number | undefined;
let isAsking = false;

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
  if (!isSamePage && !isSaved && !(await mayLeave())) return;
  if (replace) history.replaceState({ place: shown.place }, "", address);
  else history.pushState({ place: shown.place + 1 }, "", address);
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

/** Has the browser warn before the page is closed, and `ask` called before another screen is shown; returns what ends that. */
export function guardLeaving(ask?: () => Promise<boolean>): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  if (ask) guards.push(ask);
  addEventListener("beforeunload", warn);
  return () => {
    if (ask) guards.splice(guards.indexOf(ask), 1);
    removeEventListener("beforeunload", warn);
  };
}

/**
 * Before the browser's back, forward and reload, for what has no address and so does not know of a change of it: a dialog. It
 * is not asked when the application itself goes on, as after saving. Returns what ends that.
 */
export function guardSteps(guard: StepGuard): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    if (guard.isNeeded()) event.preventDefault();
  };
  stepGuards.push(guard);
  addEventListener("beforeunload", warn);
  return () => {
    stepGuards.splice(stepGuards.indexOf(guard), 1);
    removeEventListener("beforeunload", warn);
  };
}

async function mayLeave(asking: readonly (() => Promise<boolean>)[] = guards): Promise<boolean> {
  for (const ask of [...asking]) if (!(await ask())) return false;
  return true;
}

/** Who asks before a step of the browser is taken. */
function askingOfStep(): (() => Promise<boolean>)[] {
  const ofDialogs = stepGuards.filter(({ isNeeded }) => isNeeded()).map(({ ask }) => ask);
  return location.pathname === shown.path ? ofDialogs : [...ofDialogs, ...guards];
}

/**
 * The browser's back and forward. The browser has gone already when we hear of it: if a form must be asked about, the step
 * is taken back, and done again once the person says so.
 */
async function followHistory(): Promise<void> {
  const arrived = placeInHistory();
  const steps = arrived - shown.place;
  const asking = askingOfStep();
  if (arrived === allowedPlace || steps === 0 || asking.length === 0) {
    allowedPlace = undefined;
    // What was taken back shows what is shown.
    if (steps !== 0) follow(false);
    return;
  }
  history.go(-steps);
  if (isAsking) return;
  isAsking = true;
  const isLeaving = await mayLeave(asking);
  isAsking = false;
  if (!isLeaving) return;
  allowedPlace = arrived;
  history.go(steps);
}

/** An entry without a place was made by the browser, for a link within the page. */
function placeInHistory(): number {
  const state = history.state as { readonly place?: number } | null;
  if (state?.place !== undefined) return state.place;
  const place = shown.place + 1;
  history.replaceState({ place }, "");
  return place;
}

/** Links to addresses of the console change the screen without loading the page. */
export function followLinks(): void {
  // After a reload the entry is known; a page that is opened begins with one.
  const place = (history.state as { readonly place?: number } | null)?.place ?? 0;
  history.replaceState({ place }, "");
  shown = { place, path: location.pathname };
  addEventListener("popstate", () => void followHistory());
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
  shown = { place: placeInHistory(), path: location.pathname };
  if (!keepsPlace) scrollTo(0, 0);
}
