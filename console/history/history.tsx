import { useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import type { Undo } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { localIn, longDate, timeOf } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { lazyDialog } from "../parts/lazy-dialog.tsx";
import { Empty } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { EntrySentence } from "./entry.tsx";
import { factsOf } from "./facts.ts";
import "./history.css";
import { historyWords } from "./words.ts";

const [UndoDialog] = lazyDialog(async () => (await import("./undo-dialog.tsx")).UndoDialog);

type Entry = Schemas["RecordedWrite"];

/** What narrows the history. */
export interface HistoryFilter {
  readonly clientId?: string | undefined;
  readonly contractId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly staffId?: string | undefined;
  readonly actor?: string | undefined;
}

const PAGE = 50;

/** Who did what, newest first, by days; with what undoes it where something does. */
export function History({ filter }: { readonly filter: HistoryFilter }) {
  const [undone, setUndone] = useState<Entry>();
  return (
    <div class="history">
      <HistoryPage key={JSON.stringify(filter)} filter={filter} onUndo={setUndone} />
      {undone?.undo && (
        <UndoDialog entry={undone} undo={undone.undo as Undo} onClose={() => setUndone(undefined)} />
      )}
    </div>
  );
}

/** One page and those after it: each begins where the one before it ends, so that new entries move nothing out of sight. */
function HistoryPage({
  filter,
  cursor,
  dayBefore,
  onUndo,
}: {
  readonly filter: HistoryFilter;
  readonly cursor?: string;
  readonly dayBefore?: string | undefined;
  readonly onUndo: (entry: Entry) => void;
}) {
  const t = historyWords();
  const { organization } = useMe();
  const [isContinued, setContinued] = useState(false);
  const page = useRead("/app/v1/audit", { query: { ...filter, cursor, limit: PAGE } }, { keepsLast: true });
  const dayOf = ({ at }: Entry) => localIn(at, organization.timezone).slice(0, 10);
  return (
    <Shown reading={page} lines={8}>
      {({ data, nextCursor }) => {
        const last = data.at(-1);
        return (
          <>
            {data.length === 0 && cursor === undefined && (
              <Empty icon="history" title={Object.values(filter).some(Boolean) ? t.noneFiltered : t.none} />
            )}
            {daysOf(data, dayOf).map(([day, entries]) => (
              <section key={day}>
                {day !== dayBefore && <h2>{longDate(day)}</h2>}
                <ol class="history-day">
                  {entries.map((entry) => (
                    <HistoryLine key={entry.id} entry={entry} onUndo={onUndo} />
                  ))}
                </ol>
              </section>
            ))}
            {nextCursor !== undefined &&
              (isContinued ? (
                <HistoryPage
                  filter={filter}
                  cursor={nextCursor}
                  dayBefore={last && dayOf(last)}
                  onUndo={onUndo}
                />
              ) : (
                <div>
                  <Button icon="down" onClick={() => setContinued(true)}>
                    {t.more}
                  </Button>
                </div>
              ))}
          </>
        );
      }}
    </Shown>
  );
}

function HistoryLine({ entry, onUndo }: { readonly entry: Entry; readonly onUndo: (entry: Entry) => void }) {
  const t = historyWords();
  const { organization } = useMe();
  const said = [
    ...factsOf(entry, organization.currency),
    ...(entry.reason ? [t.reason(entry.reason)] : []),
    ...(entry.undoneBy ? [t.wasUndone] : []),
  ];
  return (
    <li class="history-line">
      <time dateTime={entry.at}>{timeOf(localIn(entry.at, organization.timezone))}</time>
      <div>
        <p>
          <EntrySentence entry={entry} />
        </p>
        {said.length > 0 && <p class="soft">{said.join(" · ")}</p>}
      </div>
      {entry.undo && (
        <Button isSmall kind="quiet" icon="undo" onClick={() => onUndo(entry)}>
          {t.undo}
        </Button>
      )}
    </li>
  );
}

function daysOf(
  entries: readonly Entry[],
  dayOf: (entry: Entry) => string,
): readonly [string, readonly Entry[]][] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) days.set(dayOf(entry), [...(days.get(dayOf(entry)) ?? []), entry]);
  return [...days];
}
