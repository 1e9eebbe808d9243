import { useEffect, useState } from "preact/hooks";
import { useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page, Skeleton } from "../../parts/page.tsx";
import { FileChoice } from "./file-choice.tsx";
import type { Steps as StepsOfFile } from "./steps.tsx";
import { words } from "./words.ts";
import { forget, hasCorrections, type Work, work } from "./work.ts";
import "./import.css";

/** Brings clients in from a spreadsheet: the file, what is asked, the columns, faulty rows, what will happen, done. */
export default function ImportScreen() {
  const t = words();
  const { staff } = useMe();
  const [refused, setRefused] = useState<string>();
  const own = work.value?.staffId === staff.id ? work.value : undefined;
  useEffect(() => {
    if (work.value && work.value.staffId !== staff.id) forget();
  }, [staff.id]);
  useEffect(() => void loadSteps(), []);
  return (
    <Page
      title={frameWords().screens.import}
      subtitle={own ? fileLine(own) : t.intro}
      actions={own && !own.done && <AnotherFile work={own} />}
    >
      {own && <LeaveGuard isChanged={hasCorrections(own)} />}
      {refused && <Notice tone="bad">{refused}</Notice>}
      {own ? <LoadedSteps work={own} /> : <FileChoice staffId={staff.id} onRefused={setRefused} />}
    </Page>
  );
}

/** Begins again; asks first if something was chosen or corrected. */
function AnotherFile({ work: current }: { readonly work: Work }) {
  const t = words();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button
        icon="upload"
        isDisabled={current.isImporting}
        onClick={() => (hasCorrections(current) ? setIsAsked(true) : forget())}
      >
        {t.another}
      </Button>
      {isAsked && (
        <Dialog title={t.dropTitle} onClose={() => setIsAsked(false)}>
          <p>{t.dropText}</p>
          <Actions>
            <Button kind="danger" onClick={forget}>
              {t.dropIt}
            </Button>
            <Button onClick={() => setIsAsked(false)}>{t.stay}</Button>
          </Actions>
        </Dialog>
      )}
    </>
  );
}

function fileLine({ name, reading }: Work) {
  const rows = reading?.counts?.rows;
  return rows === undefined ? name : `${name} · ${words().rows(rows)}`;
}

/** What comes after the choice of a file, fetched while that is made. */
function LoadedSteps({ work: current }: { readonly work: Work }) {
  const [loaded, setLoaded] = useState<{ readonly Steps: typeof StepsOfFile }>();
  useEffect(() => {
    let isThere = true;
    void loadSteps().then((module) => isThere && setLoaded(module));
    return () => {
      isThere = false;
    };
  }, []);
  return loaded ? <loaded.Steps work={current} /> : <Skeleton />;
}

function loadSteps() {
  return import("./steps.tsx");
}
