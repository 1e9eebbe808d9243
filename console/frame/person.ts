import { render } from "preact";
import { Problem } from "../api/problem.ts";
import { keepAnswer, readOnce } from "../api/reads.ts";
import { request } from "../api/request.ts";

/** Between the tabs of a browser, which share one sign-in. */
const tabs = new BroadcastChannel("rollbook-signed-in");
/** What happened in one of them. */
type TabMessage = "in" | "out";

/** Has the other tabs look who is signed in now. */
export function tellOtherTabs(message: TabMessage = "in"): void {
  tabs.postMessage(message);
}

/** Whether nobody is signed in any more. Then nothing of the organization stays, here and in the other tabs. */
export async function signOut(): Promise<boolean> {
  try {
    await request("/app/v1/signOut", { method: "POST", body: {} });
  } catch (error) {
    // The sign-in has ended already.
    if (!(error instanceof Problem) || error.reason !== "signed_out") return false;
  }
  tellOtherTabs("out");
  beginAgain();
  return true;
}

/**
 * Has the page show what the person who is signed in may see, and nobody else's, whatever happens in other tabs or while the
 * browser keeps the page for its back button. Returns what ends that.
 */
export function followPerson(): () => void {
  const readMe = async () => keepAnswer("/app/v1/me", await readOnce("/app/v1/me"));
  const hear = ({ data }: MessageEvent<TabMessage>) => {
    if (data === "out") beginAgain();
    // If it fails, whatever this tab asks for next tells why.
    else readMe().catch(() => {});
  };
  // Hidden before it is kept: it is shown again before any script runs.
  const hide = () => {
    document.body.hidden = true;
  };
  const show = async ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    try {
      await readMe();
      document.body.hidden = false;
    } catch {
      beginAgain(location.pathname + location.search);
    }
  };
  tabs.addEventListener("message", hear);
  addEventListener("pagehide", hide);
  addEventListener("pageshow", show);
  return () => {
    tabs.removeEventListener("message", hear);
    removeEventListener("pagehide", hide);
    removeEventListener("pageshow", show);
  };
}

/**
 * Loads the page for whoever is signed in now. All that was read before is gone by that, also what the page itself asked for
 * ahead, which the browser would still give to the next request. What is typed is another person's, so nobody is asked about it.
 */
export function beginAgain(address = "/console/"): void {
  render(null, document.body);
  // Of an empty page that the browser has kept.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
  location.replace(address);
}
