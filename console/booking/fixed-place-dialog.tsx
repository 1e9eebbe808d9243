import { Dialog } from "../parts/dialog.tsx";
import { FixedPlaceForm } from "./fixed-place-form.tsx";
import { fixedPlaceWords } from "./fixed-place-words.ts";

/** A fixed place for somebody, or another one instead of it. */
export function FixedPlaceDialog({
  onClose,
  ...form
}: Omit<Parameters<typeof FixedPlaceForm>[0], "onDone"> & { readonly onClose: () => void }) {
  const t = fixedPlaceWords();
  const { contactName } = form.client;
  return (
    <Dialog
      kind="side"
      title={form.moved ? t.moveTitle(contactName) : t.title(contactName)}
      onClose={onClose}
    >
      <FixedPlaceForm {...form} onDone={onClose} />
    </Dialog>
  );
}
