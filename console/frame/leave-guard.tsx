import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { guardLeaving } from "./router.ts";
import { frameWords } from "./words.ts";

/** Put into a form: asks before what was changed and not saved is left. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const t = frameWords();
  const [answer, setAnswer] = useState<{ give: (mayLeave: boolean) => void }>();
  useEffect(() => {
    if (!isChanged) return undefined;
    return guardLeaving(() => new Promise<boolean>((give) => setAnswer({ give })));
  }, [isChanged]);
  if (!answer) return null;
  const close = (mayLeave: boolean) => {
    setAnswer(undefined);
    answer.give(mayLeave);
  };
  return (
    <Dialog title={t.leaveTitle} onClose={() => close(false)}>
      <p>{t.leaveText}</p>
      <Actions>
        <Button kind="danger" onClick={() => close(true)}>
          {t.leave}
        </Button>
        <Button onClick={() => close(false)}>{t.stay}</Button>
      </Actions>
    </Dialog>
  );
}
