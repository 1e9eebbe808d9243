import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { guardLeaving } from "../routing/router.ts";
import { AsksItself, LeaveQuestion } from "./dialog.tsx";

/** Put into a form: asks before what was changed and not saved is left. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const asksItself = useContext(AsksItself);
  const [answer, setAnswer] = useState<{ give: (mayLeave: boolean) => void }>();
  // With the drawing, not after it: whoever types and goes back at once is asked, too.
  useLayoutEffect(() => {
    asksItself.current = isChanged;
    if (!isChanged) return undefined;
    return guardLeaving(() => new Promise<boolean>((give) => setAnswer({ give })));
  }, [isChanged]);
  if (!answer) return null;
  const close = (mayLeave: boolean) => {
    setAnswer(undefined);
    answer.give(mayLeave);
  };
  return <LeaveQuestion onAnswer={close} />;
}
