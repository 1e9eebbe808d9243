/** What somebody went to last in this tab: people by their ids and actions by their names. Nothing else is kept of them. */

const MOST = 6;
const keyOf = (staffId: string) => `rollbook-recent-${staffId}`;

/** The latest first, as `client:ID` and `action:NAME`. */
export function listRecent(staffId: string): readonly string[] {
  try {
    return (sessionStorage.getItem(keyOf(staffId)) ?? "").split(" ").filter(Boolean);
  } catch {
    return [];
  }
}

export function noteRecent(staffId: string, entry: string): void {
  const others = listRecent(staffId).filter((other) => other !== entry);
  try {
    sessionStorage.setItem(keyOf(staffId), [entry, ...others].slice(0, MOST).join(" "));
  } catch {
    // Browsers can be told to keep nothing.
  }
}
