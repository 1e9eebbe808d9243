import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { readOnce } from "../api/reads.ts";
import { timeOf } from "../languages/format.ts";
import { isolate } from "../languages/given-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { Notice } from "../parts/notice.tsx";
import { Skeleton } from "../parts/page.tsx";
import { keyOfSession, nameOf } from "../routing/session-name.ts";
import { BookForm } from "./book-form.tsx";
import type { PickedClient } from "./client-picker.tsx";
import { NewClient } from "./new-client.tsx";
import { chooseWalkIn, hasFreeSeat, withoutSeatOf } from "./walk-in-choice.ts";
import { words } from "./words.ts";

type RosterOfToday = Schemas["SessionOfToday"];

/** So many sessions are asked about; more are rarely open at the same time. */
const MOST_ASKED = 6;

interface WalkInProps {
  /** The sessions that are open for it, the likeliest first. */
  readonly open: readonly RosterOfToday[];
  /** Those that are over, for whoever was forgotten. */
  readonly over: readonly RosterOfToday[];
  readonly now: number;
  readonly onClose: () => void;
}

/** Somebody came without a booking: who, if they are new; into which session, on what, and in. */
export function WalkInDialog({
  known,
  typed,
  ...props
}: WalkInProps & {
  readonly known: PickedClient | undefined;
  /** What nobody was found by. */
  readonly typed: string;
}) {
  const [client, setClient] = useState(known);
  return (
    <Dialog title={client?.contactName ?? words().newClient} onClose={props.onClose}>
      {client ? (
        <WalkIn client={client} {...props} />
      ) : (
        <NewClient
          typed={typed}
          locationId={props.open[0]?.session.locationId}
          onAdded={setClient}
          onBack={props.onClose}
        />
      )}
    </Dialog>
  );
}

function WalkIn({ client, open, over, now, onClose }: WalkInProps & { readonly client: PickedClient }) {
  const t = words();
  const [chosen, setChosen] = useState<string>();
  // As it was when it was opened: the offer does not change under the hand while others book.
  const [offered] = useState(() => withoutSeatOf(open, client.id));
  const isCovered = useCoverages(client.id, offered);
  const rosters = withoutSeatOf([...open, ...over], client.id);
  const key = chosen ?? (isCovered && keyOf(chooseWalkIn(offered, isCovered)));
  const roster = [...open, ...over].find(({ session }) => keyOfSession(session) === key);
  const hasPlaces = new Set(rosters.map(({ session }) => session.locationId)).size > 1;
  const labelOf = ({ session, unnamed }: RosterOfToday) =>
    [
      `${timeOf(session.localStart)} ${isolate(session.serviceTypeName)}`,
      ...(hasPlaces ? [session.locationName] : []),
      hasFreeSeat({ session, unnamed }) ? `${session.bookedCount}/${session.capacity}` : t.isFull,
      ...(isCovered?.get(keyOfSession(session)) === false ? [t.isUncovered] : []),
    ].join(" · ");
  return (
    <>
      {rosters.length === 0 ? (
        <Notice>{t.noneOpen}</Notice>
      ) : isCovered === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <>
          <SelectField
            label={t.session}
            value={key ?? ""}
            choices={[
              ...(roster ? [] : [{ value: "", label: t.chooseSession }]),
              ...rosters.map((each) => ({ value: keyOfSession(each.session), label: labelOf(each) })),
            ]}
            onChoose={setChosen}
          />
          {roster ? (
            <BookForm key={key} roster={roster} now={now} client={client} prefersCheckIn onDone={onClose} />
          ) : (
            <Notice tone="warning">{offered.length > 0 ? t.allFull : t.noneOpen}</Notice>
          )}
        </>
      )}
    </>
  );
}

const keyOf = (roster: RosterOfToday | undefined) => roster && keyOfSession(roster.session);

/** Which of the sessions with a seat something covers, by their keys; undefined until it is known. */
function useCoverages(
  clientId: string,
  offered: readonly RosterOfToday[],
): ReadonlyMap<string, boolean> | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, boolean>>();
  useEffect(() => {
    const abort = new AbortController();
    const asked = offered.filter(hasFreeSeat).slice(0, MOST_ASKED);
    const answers = asked.map(async ({ session }): Promise<[string, boolean][]> => {
      const query = { clientId, ...nameOf(session) };
      try {
        const { covered } = await readOnce("/app/v1/coverage", { query }, abort.signal);
        return [[keyOfSession(session), covered]];
      } catch {
        // The form of the session that is chosen asks again, and says what is wrong.
        return [];
      }
    });
    void Promise.all(answers).then((pairs) => {
      if (!abort.signal.aborted) setKnown(new Map(pairs.flat()));
    });
    return () => abort.abort();
  }, [clientId, offered]);
  return known;
}
