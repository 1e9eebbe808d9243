/** Whether somebody has touched this page since the server was last told so. */
let hasActed = false;

for (const kind of ["pointerdown", "keydown", "wheel"])
  addEventListener(
    kind,
    () => {
      hasActed = true;
    },
    { capture: true, passive: true },
  );

/**
 * What tells the server that a read is a use of the sign-in. Without it none is: an open page reads by itself whenever a
 * colleague writes, and would keep a sign-in for weeks that nobody is there for.
 */
export function attention(): { readonly "rollbook-attended"?: "1" } {
  if (!hasActed) return {};
  hasActed = false;
  return { "rollbook-attended": "1" };
}
