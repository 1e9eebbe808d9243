import { useEffect, useState } from "preact/hooks";
import { guardLeaving } from "../frame/router.ts";
import { dictionary } from "../languages/words.ts";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";

const words = dictionary(
  {
    title: "Leave without saving?",
    text: "What you changed here is not saved.",
    leave: "Leave",
    stay: "Stay",
  },
  { title: "Sair sem salvar?", text: "O que você mudou aqui não está salvo.", leave: "Sair", stay: "Ficar" },
  {
    title: "¿Salir sin guardar?",
    text: "Lo que cambió aquí no está guardado.",
    leave: "Salir",
    stay: "Quedarse",
  },
);

/** Put into a form: asks before what was changed and not saved is left. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const t = words();
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
    <Dialog title={t.title} onClose={() => close(false)}>
      <p>{t.text}</p>
      <Actions>
        <Button kind="danger" onClick={() => close(true)}>
          {t.leave}
        </Button>
        <Button onClick={() => close(false)}>{t.stay}</Button>
      </Actions>
    </Dialog>
  );
}
