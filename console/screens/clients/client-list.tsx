import { useEffect, useRef, useState } from "preact/hooks";
import { type Answer, type Reading, useRead } from "../../api/reads.ts";
import { useMay } from "../../frame/me.ts";
import { go, route, setQuery } from "../../frame/router.ts";
import { shortDate } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { Badge, Empty } from "../../parts/notice.tsx";
import { Page, Shown } from "../../parts/page.tsx";
import { type Column, offsetOf, PAGE_SIZE, Pager, Table } from "../../parts/table.tsx";
import { addressOfClient } from "./records.ts";
import { words } from "./words.ts";

type Person = Answer<"/app/v1/people">["data"][number];
/** Who was found by a letter or two comes without contracts. */
type Row = Person & Partial<Pick<Answer<"/app/v1/clients">["data"][number], "contracts">>;
interface Rows {
  readonly data: readonly Row[];
  readonly total: number;
}
type Filter = "active" | "archived" | "all";

/** So that a name that is typed quickly is searched for once. */
const TYPING_MS = 50;
const SHORT_TEXT = 2;

/** Everybody, found by a few letters. With `?for=sell` a name leads on to selling. */
export function ClientList() {
  const t = words();
  const { query } = route.value;
  const text = (query.get("query") ?? "").trim();
  const filter = toFilter(query.get("status"));
  const isForSale = query.get("for") === "sell";
  const offset = offsetOf(query);
  // One or two letters match half of everybody: the beginnings of names are found at once, and not counted.
  const isShort = text !== "" && text.length <= SHORT_TEXT && filter === "active";
  const pages = useRead(
    isShort ? undefined : "/app/v1/clients",
    { query: { query: text, ...(filter !== "all" && { status: filter }), limit: PAGE_SIZE, offset } },
    { keepsLast: true },
  );
  const people = useRead(
    isShort ? "/app/v1/people" : undefined,
    { query: { query: text, limit: PAGE_SIZE } },
    { keepsLast: true },
  );
  const reading: Reading<Rows> = isShort ? people : pages;
  // What was shown last stays until the next answer, whichever of the two it came from.
  const shown = useRef<Rows | undefined>(undefined);
  if (!reading.isLoading && reading.data) shown.current = reading.data;
  const clients = reading.isLoading && shown.current ? { ...reading, data: shown.current } : reading;
  const addressOf = (id: string) => addressOfClient(id, isForSale ? "sell" : undefined);
  // Enter opens the first one found; pressed too soon, it waits for the answer.
  const [isEntered, setEntered] = useState(false);
  const first = clients.data?.data[0];
  useEffect(() => {
    if (!isEntered || clients.isLoading) return;
    setEntered(false);
    if (first) void go(addressOf(first.id));
  }, [isEntered, clients.isLoading]);
  return (
    <Page
      title={isForSale ? t.sellTo : t.title}
      subtitle={isForSale ? t.sellToHint : undefined}
      actions={
        <Button kind={isForSale ? "plain" : "main"} icon="plus" href="/console/clients/new">
          {t.add}
        </Button>
      }
    >
      <search class="client-search">
        <SearchField onType={() => setEntered(false)} onEnter={() => setEntered(true)} />
        <SelectField
          label={t.status}
          value={filter}
          choices={(["active", "archived", "all"] as const).map((value) => ({
            value,
            label: t.statuses[value],
          }))}
          onChoose={(value) => setQuery({ status: value === "active" ? undefined : value, page: undefined })}
        />
      </search>
      <Shown reading={clients} lines={8}>
        {({ data, total }) =>
          data.length === 0 ? (
            <NobodyFound text={text} filter={filter} />
          ) : (
            <>
              <Table
                caption={t.table}
                columns={columnsOf(t, addressOf)}
                rows={data}
                keyOf={({ id }) => id}
                rowClass={() => "client-row"}
              />
              <Pager offset={offset} shown={data.length} total={total} />
            </>
          )
        }
      </Shown>
    </Page>
  );
}

/** The address follows what is typed, and the field follows an address that somebody goes to. */
function SearchField({ onType, onEnter }: { readonly onType: () => void; readonly onEnter: () => void }) {
  const t = words();
  const shown = route.value.query.get("query") ?? "";
  const [typed, setTyped] = useState(shown);
  const sent = useRef(shown);
  const search = () => {
    if (typed === sent.current) return;
    sent.current = typed;
    setQuery({ query: typed, page: undefined });
  };
  useEffect(() => {
    if (shown !== sent.current) setTyped(shown);
    sent.current = shown;
  }, [shown]);
  useEffect(() => {
    const timer = setTimeout(search, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form
      class="client-search-form"
      onSubmit={(event) => {
        event.preventDefault();
        search();
        onEnter();
      }}
    >
      <TextField
        label={t.search}
        type="search"
        placeholder={t.searchHint}
        value={typed}
        onInput={(text) => {
          setTyped(text);
          onType();
        }}
        hasFocus
      />
    </form>
  );
}

function columnsOf(t: ReturnType<typeof words>, addressOf: (id: string) => string): readonly Column<Row>[] {
  return [
    {
      title: t.name,
      cell: (client) => (
        <>
          <a class="client-link" href={addressOf(client.id)}>
            {client.contactName}
          </a>{" "}
          {client.status === "archived" && <Badge>{t.archived}</Badge>}
          <span class="client-narrow">
            <ContractNames client={client} />
          </span>
        </>
      ),
    },
    {
      title: t.contact,
      isExtra: true,
      cell: ({ contactPhone, contactEmail }) => (
        <>
          {contactPhone && <div>{contactPhone}</div>}
          {contactEmail && <div class="soft">{contactEmail}</div>}
        </>
      ),
    },
    { title: t.contracts, isExtra: true, cell: (client) => <ContractNames client={client} /> },
  ];
}

function ContractNames({ client }: { readonly client: Row }) {
  const t = words();
  if (!client.contracts) return null;
  if (client.contracts.length === 0) return <span class="soft">{t.noContract}</span>;
  return (
    <>
      {client.contracts.map(({ id, planName, status, endDate, accessBlocked }) => (
        <div key={id}>
          {planName} {endDate && <span class="soft">{t.until(shortDate(endDate))}</span>}{" "}
          {status === "paused" && <Badge tone="warning">{t.paused}</Badge>}
          {accessBlocked && <Badge tone="bad">{t.blocked}</Badge>}
        </div>
      ))}
    </>
  );
}

function NobodyFound({ text, filter }: { readonly text: string; readonly filter: Filter }) {
  const t = words();
  const mayImport = useMay("owner");
  const showAll = <Button onClick={() => setQuery({ status: "all", page: undefined })}>{t.showAll}</Button>;
  if (text !== "")
    return (
      <Empty
        icon="search"
        title={t.notFound(text)}
        action={
          <div class="row">
            <Button icon="plus" href={`/console/clients/new?name=${encodeURIComponent(text)}`}>
              {t.addNamed(text)}
            </Button>
            {filter !== "all" && showAll}
          </div>
        }
      >
        {filter !== "all" && t.notFoundText}
      </Empty>
    );
  if (filter === "archived" || offsetOf(route.value.query) > 0)
    return <Empty icon="users" title={t.nothingHere} action={showAll} />;
  return (
    <Empty
      icon="users"
      title={t.nobody}
      action={
        <div class="row">
          <Button kind="main" icon="plus" href="/console/clients/new">
            {t.add}
          </Button>
          {mayImport && (
            <Button icon="sheet" href="/console/import">
              {t.import}
            </Button>
          )}
        </div>
      }
    >
      {t.nobodyText}
    </Empty>
  );
}

function toFilter(text: string | null): Filter {
  return text === "archived" || text === "all" ? text : "active";
}
