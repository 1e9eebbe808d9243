import { signal } from "@preact/signals";

/** Which dialog is open because a request needs somebody to say who they are. */
export const asked = signal<"sign_in" | "password" | undefined>(undefined);

let waiting: { readonly promise: Promise<boolean>; readonly resolve: (isDone: boolean) => void } | undefined;

/** The sign-in has ended: what was typed stays, and goes on once the same person is signed in again. */
export function askToSignIn(): Promise<boolean> {
  return ask("sign_in");
}

/** Some operations want the password of the last 15 minutes; false if it was not given. */
export function askForPassword(): Promise<boolean> {
  return ask("password");
}

/** Closes the dialog: whoever waits goes on, or gives up. */
export function answerAsked(isDone: boolean): void {
  asked.value = undefined;
  waiting?.resolve(isDone);
  waiting = undefined;
}

function ask(what: "sign_in" | "password"): Promise<boolean> {
  if (waiting) {
    // Signing in counts as entering the password, and nothing can be confirmed without it.
    if (what === "sign_in") asked.value = what;
    return waiting.promise;
  }
  let resolve: (isDone: boolean) => void = () => {};
  const promise = new Promise<boolean>((done) => {
    resolve = done;
  });
  waiting = { promise, resolve };
  asked.value = what;
  return promise;
}
