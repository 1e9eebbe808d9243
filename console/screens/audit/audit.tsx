import { useRead } from "../../api/reads.ts";
import { ClientPicker } from "../../booking/client-picker.tsx";
import { useMay, useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { actorOf } from "../../history/entry.tsx";
import { History, type HistoryFilter } from "../../history/history.tsx";
import { nameOfClient } from "../../languages/client-name.ts";
import { fullDate, timeOf } from "../../languages/format.ts";
import { SelectField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page } from "../../parts/page.tsx";
import { route, setQuery } from "../../routing/router.ts";
import "./audit.css";
import { words } from "./words.ts";

/** How the trail names API keys, before their id. */
const KEY_ACTOR = "key:";

/** Who did what. The filters stand in the address. */
export default function AuditScreen() {
  const t = words();
  const { query } = route.value;
  const filter: HistoryFilter = {
    clientId: query.get("clientId") ?? undefined,
    contractId: query.get("contractId") ?? undefined,
    sessionId: query.get("sessionId") ?? undefined,
    staffId: query.get("staffId") ?? undefined,
    actor: query.get("actor") ?? undefined,
  };
  return (
    <Page title={frameWords().screens.audit} subtitle={t.text}>
      <section class="history-filters" aria-label={t.filters}>
        <WhoFilter chosen={filter.actor ?? filter.staffId ?? ""} />
        {filter.clientId === undefined && (
          <ClientPicker
            label={t.client}
            withArchived
            onChoose={({ id }) => setQuery({ clientId: id }, { replace: false })}
          />
        )}
      </section>
      <ChosenFilters filter={filter} />
      <History filter={filter} />
    </Page>
  );
}

/** Everybody on the staff and every API key for owners; others know only themselves. */
function WhoFilter({ chosen }: { readonly chosen: string }) {
  const t = words();
  const { staff: me } = useMe();
  const isOwner = useMay("owner");
  const staff = useRead(isOwner ? "/app/v1/staff" : undefined).data?.data ?? [];
  const keys = useRead(isOwner ? "/app/v1/keys" : undefined).data?.data ?? [];
  const people = staff.filter(({ id }) => id !== me.id).map(({ id, name }) => ({ value: id, label: name }));
  const programs = keys.map(({ id, name: actorName }) => {
    const actor = `${KEY_ACTOR}${id}`;
    return { value: actor, label: actorOf({ actor, ...(actorName !== undefined && { actorName }) }) };
  });
  return (
    <SelectField
      label={t.who}
      value={chosen}
      choices={[
        { value: "", label: t.everybody },
        { value: me.id, label: `${t.mine} (${me.name})` },
        ...people,
        ...programs,
      ]}
      onChoose={(who) =>
        setQuery(
          who.startsWith(KEY_ACTOR) ? { actor: who, staffId: undefined } : { actor: undefined, staffId: who },
          { replace: false },
        )
      }
    />
  );
}

/** What the address narrows the history to, by name, each with a way out. */
function ChosenFilters({ filter: { clientId, contractId, sessionId } }: { readonly filter: HistoryFilter }) {
  const t = words();
  const client = useRead(clientId === undefined ? undefined : "/app/v1/clients/{id}", {
    params: { id: clientId ?? "" },
  }).data;
  // The entries of one contract or class all have its name.
  const [entry] =
    useRead(contractId === undefined && sessionId === undefined ? undefined : "/app/v1/audit", {
      query: { clientId, contractId, sessionId, limit: 1 },
    }).data?.data ?? [];
  const session = entry?.sessionStart
    ? `${entry.sessionName}, ${fullDate(entry.sessionStart)} ${timeOf(entry.sessionStart)}`
    : entry?.sessionName;
  const chosen = [
    clientId !== undefined && {
      name: "clientId",
      text: t.ofClient(client ? nameOfClient(client.contactName) : t.one),
    },
    contractId !== undefined && { name: "contractId", text: t.ofContract(entry?.planName ?? t.one) },
    sessionId !== undefined && { name: "sessionId", text: t.ofSession(session ?? t.one) },
  ].filter((one) => one !== false);
  if (chosen.length === 0) return null;
  return (
    <ul class="row">
      {chosen.map(({ name, text }) => (
        <li key={name} class="history-chip">
          {text}
          <button
            type="button"
            class="icon-button"
            aria-label={t.clear(text)}
            onClick={() => setQuery({ [name]: undefined }, { replace: false })}
          >
            <Icon name="close" size={16} />
          </button>
        </li>
      ))}
    </ul>
  );
}
