import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { timeOf } from "../languages/format.ts";
import { inOrderOf } from "../languages/order.ts";
import { language } from "../languages/words.ts";
import { CheckField } from "../parts/field.tsx";
import { Shown } from "../parts/page.tsx";
import { keyOfSession } from "../routing/session-name.ts";
import type { Roster } from "./roster-types.ts";
import { withStandIn } from "./stand-in.ts";
import { words } from "./words.ts";

type Session = Schemas["NamedCalendarSession"];

/** Whatever still takes place now began within this time. */
const LONGEST_SESSION_MS = 86_400_000;

/** Who and what can run a session: people first, those who are free above the others, then rooms and equipment by themselves. */
export function ResourceChoices({
  session,
  before,
  chosen,
  onChange,
}: {
  readonly session: Roster["session"];
  readonly before: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const t = words();
  const resources = useRead("/app/v1/resources");
  const from = new Date(Date.parse(session.startAt) - LONGEST_SESSION_MS).toISOString();
  const meanwhile = useRead("/app/v1/calendar", { query: { from, to: session.endAt } }).data?.data;
  const taken = meanwhile && busyWith(meanwhile, session);
  return (
    <Shown reading={resources} lines={4}>
      {({ data }) => {
        const offered = data.filter(({ id, status }) => status === "active" || before.includes(id));
        return (["person", "room", "equipment"] as const).map((kind) => {
          const ofKind = inOrderOf(
            offered.filter((resource) => resource.kind === kind),
            ({ name }) => name,
            language.value,
          );
          if (ofKind.length === 0) return null;
          const idsOfKind = ofKind.map(({ id }) => id);
          const rank = ({ id }: { id: string }) => Number(taken?.has(id) ?? false);
          return (
            <fieldset key={kind} class="choices">
              <legend>{t.kinds[kind]}</legend>
              <div class="resource-choices">
                {[...ofKind]
                  .sort((one, other) => rank(one) - rank(other))
                  .map(({ id, name }) => {
                    const other = taken?.get(id);
                    const hint = other
                      ? t.busyWith(
                          other.serviceTypeName ?? "",
                          timeOf(other.localStart ?? ""),
                          timeOf(other.localEnd ?? ""),
                        )
                      : t.free;
                    return (
                      <CheckField
                        key={id}
                        label={name}
                        {...(taken && { hint })}
                        isChecked={chosen.includes(id)}
                        onChange={(isChosen) =>
                          onChange(
                            isChosen
                              ? withStandIn(chosen, id, {
                                  before,
                                  ofKind: kind === "equipment" ? [] : idsOfKind,
                                })
                              : chosen.filter((each) => each !== id),
                          )
                        }
                      />
                    );
                  })}
              </div>
            </fieldset>
          );
        });
      }}
    </Shown>
  );
}

/** What else each of them has while the session takes place. */
function busyWith(sessions: readonly Session[], own: Roster["session"]): ReadonlyMap<string, Session> {
  const [begin, end, key] = [Date.parse(own.startAt), Date.parse(own.endAt), keyOfSession(own)];
  const meanwhile = sessions.filter(
    (session) =>
      session.status === "scheduled" &&
      keyOfSession(session) !== key &&
      Date.parse(session.startAt) < end &&
      Date.parse(session.endAt) > begin,
  );
  return new Map(
    meanwhile.flatMap((session) => (session.resourceIds ?? []).map((id): [string, Session] => [id, session])),
  );
}
