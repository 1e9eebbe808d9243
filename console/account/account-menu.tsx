import { useEffect, useState } from "preact/hooks";
import { useMe } from "../frame/me.ts";
import { Icon } from "../parts/icon.tsx";
import { lazyDialog } from "../parts/lazy-dialog.tsx";

const [AccountDialog, fetchAccount] = lazyDialog(
  async () => (await import("./account-dialog.tsx")).AccountDialog,
);

/** Who is signed in. */
export function AccountMenu() {
  const { staff, organization } = useMe();
  const [isOpen, setOpen] = useState(false);
  // After the first page, and before the connection may be lost: one can always sign out.
  useEffect(() => void fetchAccount().catch(() => {}), []);
  return (
    <>
      <button type="button" class="account" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="user" />
        <span>
          <strong>{staff.name}</strong>
          <small>{organization.name}</small>
        </span>
      </button>
      {isOpen && <AccountDialog onClose={() => setOpen(false)} />}
    </>
  );
}
