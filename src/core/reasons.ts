/** Whose change it was, as the change feed tells: a key and its request, or nobody by name. */
export type ChangeReason =
  | { readonly by: "key"; readonly keyId: string; readonly requestId?: string }
  | { readonly by: "staff" | "operator" | "import" | "clock" };

/** The reason of what an actor of the audit trail does: `key:ID`, `staff:ID` or `operator:NAME`. */
export function reasonOf(actor: string, requestId?: string): ChangeReason {
  if (actor.startsWith("key:"))
    return { by: "key", keyId: actor.slice(4), ...(requestId !== undefined && { requestId }) };
  return { by: actor.startsWith("staff:") ? "staff" : "operator" };
}
