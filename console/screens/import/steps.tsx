import { Icon } from "../../parts/icon.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { Section, Skeleton } from "../../parts/page.tsx";
import { FaultyRows, IncompleteRows } from "./faulty-rows.tsx";
import { Questions } from "./questions.tsx";
import { Columns, FileOptions } from "./understanding.tsx";
import { Outcome, WhatWillHappen } from "./what-will-happen.tsx";
import { words } from "./words.ts";
import type { Work } from "./work.ts";

/** From what is asked of a file to what came in. */
export function Steps({ work: current }: { readonly work: Work }) {
  const t = words();
  const { reading, problem, done, isReading, answers, leaveOut, skipsFaulty } = current;
  if (done) return <Outcome work={current} counts={done} leftOut={leaveOut.size} />;
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
      {reading && <IncompleteRows work={current} />}
      {faulty === 0 && <WhatWillHappen work={current} />}
      <p class="import-status" role="status">
        {isReading && reading ? t.reading : ""}
      </p>
    </div>
  );
}
