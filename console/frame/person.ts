import { render } from "preact";
import { keepAnswer, readOnce } from "../api/reads.ts";

/** Between the tabs of a browser, which share one sign-in. */
const tabs = new BroadcastChannel("rollbook-signed-in");

/** Has the other tabs look who is signed in now. */
export function tellOtherTabs(): void {
  tabs.postMessage(undefined);
}

/** Reads who is signed in again whenever somebody signs in in another tab; returns what ends that. */
export function followOtherTabs(): () => void {
  const readMe = () =>
    readOnce("/app/v1/me").then(
      (me) => keepAnswer("/app/v1/me", me),
      // Whatever this tab asks for next tells why.
      () => {},
    );
  tabs.addEventListener("message", readMe);
  return () => tabs.removeEventListener("message", readMe);
}

/**
 * Loads the page for whoever is signed in now. All that was read before is gone by that, also what the page itself asked for
 * ahead, which the browser would still give to the next request. What is typed is another person's, so nobody is asked about it.
 */
export function beginAgain(address = "/console/"): void {
  render(null, document.body);
  location.replace(address);
}
