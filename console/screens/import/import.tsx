import { useEffect, useState } from "preact/hooks";
import { useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Page, Section, Skeleton } from "../../parts/page.tsx";
import { FaultyRows } from "./faulty-rows.tsx";
import { FileChoice } from "./file-choice.tsx";
import { Questions } from "./questions.tsx";
import { Columns, FileOptions } from "./understanding.tsx";
import { Outcome, WhatWillHappen } from "./what-will-happen.tsx";
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
  return (
    <Page
      title={frameWords().screens.import}
      subtitle={own ? fileLine(own) : t.intro}
      actions={own && !own.done && <AnotherFile work={own} />}
    >
      {own && <LeaveGuard isChanged={hasCorrections(own)} />}
      {refused && <Notice tone="bad">{refused}</Notice>}
      {own ? <Steps work={own} /> : <FileChoice staffId={staff.id} onRefused={setRefused} />}
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

function Steps({ work: current }: { readonly work: Work }) {
  const t = words();
  const { reading, problem, done, isReading, answers, leaveOut, skipsFaulty } = current;
  if (done) return <Outcome counts={done} leftOut={leaveOut.size} />;
  const faulty = skipsFaulty ? 0 : reading?.counts?.faulty;
  return (
    <div class="import" aria-busy={isReading}>
      <ProblemNotice problem={problem} />
      {!reading && isReading && <Skeleton />}
      {reading && <Questions reading={reading} />}
      {reading && reading.columns.length > 0 && (
        <Section title={t.columns}>
          <Columns reading={reading} />
          <FileOptions reading={reading} answers={answers} />
        </Section>
      )}
      {reading && reading.remarks.length > 0 && (
        <ul class="import-remarks" aria-label={t.remarks}>
          {reading.remarks.map(({ message }) => (
            <li key={message}>
              <Icon name="info" size={16} />
              {message}
            </li>
          ))}
        </ul>
      )}
      {faulty !== undefined && faulty > 0 && <FaultyRows work={current} />}
      {faulty === 0 && <WhatWillHappen work={current} />}
      <p class="import-status" role="status">
        {isReading && reading ? t.reading : ""}
      </p>
    </div>
  );
}
