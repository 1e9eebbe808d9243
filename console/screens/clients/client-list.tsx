import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Answer, type Reading, useRead } from "../../api/reads.ts";
import { useMay } from "../../frame/me.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { count, shortDate } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { useFocus } from "../../parts/focus.ts";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Badge, Empty } from "../../parts/notice.tsx";
import { Page, Shown } from "../../parts/page.tsx";
import { type Column, offsetOf, PAGE_SIZE, Pager, Table } from "../../parts/table.tsx";
import { go, route, setQuery } from "../../routing/router.ts";
import { addressOfClient } from "./records.ts";
import { words } from "./words.ts";

const [DownloadButton] = lazyDialog(
  async () => (await import("../../downloads/download-button.tsx")).DownloadButton,
);

type Row = Answer<"/app/v1/people">["data"][number];
interface Rows {
  readonly data: readonly Row[];
  readonly total: number;
}
type Filter = "active" | "archived" | "all";

/** Letters that follow each other more quickly than this are searched for together. */
const TYPING_MS = 50;

/** Everybody, found by a few letters. With `?for=sell` a name leads on to selling. */
export function ClientList() {
  const t = words();
  const { query } = route.value;
  const text = (query.get("query") ?? "").trim();
  const filter = toFilter(query.get("status"));
  const isForSale = query.get("for") === "sell";
  const offset = offsetOf(query);
  // Whoever types is shown the best matches at once: to count all of them would take longer than to find these.
  const isFound = text !== "" && filter === "active";
  const isBest = isFound && !query.has("all");
  const pages = useRead(
    isBest ? undefined : "/app/v1/clients",
    { query: { query: text, ...(filter !== "all" && { status: filter }), limit: PAGE_SIZE, offset } },
    { keepsLast: true },
  );
  const people = useRead(
    isBest ? "/app/v1/people" : undefined,
    { query: { query: text, status: "active", limit: PAGE_SIZE } },
    { keepsLast: true },
  );
  const reading: Reading<Rows> = isBest ? people : pages;
  // What was shown last stays until the next answer, whichever of the two it came from.
  const shown = useRef<Rows | undefined>(undefined);
  if (!reading.isLoading && reading.data) shown.current = reading.data;
  const clients = reading.isLoading && shown.current ? { ...reading, data: shown.current } : reading;
  const rows = clients.data?.data;
  // Kept while the next letters are searched for.
  const table = useMemo(
    () =>
      rows && (
        <Table
          caption={t.table}
          columns={columnsOf(t, isForSale)}
          rows={rows}
          keyOf={({ id }) => id}
          rowClass={() => "client-row"}
        />
      ),
    [rows, t, isForSale],
  );
  // Set by the button that is gone once it was pressed: the focus goes to the heading of the list that it asked for.
  const isListing = useRef(false);
  // Enter opens the first one found; pressed too soon, it waits for the answer.
  const [isEntered, setEntered] = useState(false);
  const first = clients.data?.data[0];
  useEffect(() => {
    if (!isEntered || clients.isLoading) return;
    setEntered(false);
    if (first) void go(addressFor(first.id, isForSale));
  }, [isEntered, clients.isLoading]);
  return (
    <Page
      title={isForSale ? t.sellTo : t.title}
      subtitle={isForSale ? t.sellToHint : undefined}
      actions={
        <>
          <Button kind={isForSale ? "plain" : "main"} icon="plus" href="/console/clients/new">
            {t.add}
          </Button>
          {!isForSale && <DownloadButton first="clients" />}
        </>
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
      {isFound && !isBest && (
        <AllMatches total={reading.isLoading ? undefined : reading.data?.total} isListing={isListing} />
      )}
      <Shown reading={clients} lines={8}>
        {({ data, total }) =>
          data.length === 0 ? (
            <NobodyFound text={text} filter={filter} />
          ) : (
            <>
              {table}
              {isBest && data.length === PAGE_SIZE ? (
                <BestMatches
                  onList={() => {
                    isListing.current = true;
                    setQuery({ all: "yes" }, { replace: false });
                  }}
                />
              ) : (
                <Pager offset={offset} shown={data.length} total={total} />
              )}
            </>
          )
        }
      </Shown>
    </Page>
  );
}

/** There are more than are shown, and nobody has counted them. */
function BestMatches({ onList }: { readonly onList: () => void }) {
  const t = words();
  return (
    <p class="row">
      <span class="soft">{t.best}</span>
      <Button isSmall onClick={onList}>
        {t.allMatches}
      </Button>
    </p>
  );
}

/** The heading of the whole list, with how many there are once that is counted. */
function AllMatches({
  total,
  isListing,
}: {
  readonly total: number | undefined;
  readonly isListing: { current: boolean };
}) {
  const t = words();
  const heading = useFocus<HTMLHeadingElement>(isListing.current);
  useEffect(() => {
    isListing.current = false;
  }, []);
  return (
    <h2 ref={heading} tabIndex={-1}>
      <span role="status">{t.allFound(total === undefined ? undefined : count(total))}</span>
    </h2>
  );
}

function addressFor(id: string, isForSale: boolean): string {
  return addressOfClient(id, isForSale ? "sell" : undefined);
}

/** The address follows what is typed, and the field follows an address that somebody goes to. */
function SearchField({ onType, onEnter }: { readonly onType: () => void; readonly onEnter: () => void }) {
  const t = words();
  const shown = route.value.query.get("query") ?? "";
  const [typed, setTyped] = useState(shown);
  const sent = useRef(shown);
  const typedAt = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (text: string) => {
    clearTimeout(timer.current);
    if (text === sent.current) return;
    sent.current = text;
    setQuery({ query: text, page: undefined, all: undefined });
  };
  useEffect(() => {
    if (shown !== sent.current) setTyped(shown);
    sent.current = shown;
  }, [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    onType();
    const pause = performance.now() - typedAt.current;
    typedAt.current = performance.now();
    clearTimeout(timer.current);
    if (pause > TYPING_MS) search(text);
    else timer.current = setTimeout(() => search(text), TYPING_MS);
  };
  return (
    <form
      class="client-search-form"
      onSubmit={(event) => {
        event.preventDefault();
        search(typed);
        onEnter();
      }}
    >
      <TextField
        label={t.search}
        type="search"
        placeholder={t.searchHint}
        value={typed}
        onInput={type}
        hasFocus
      />
    </form>
  );
}

function columnsOf(t: ReturnType<typeof words>, isForSale: boolean): readonly Column<Row>[] {
  return [
    {
      title: t.name,
      cell: (client) => (
        <>
          <a class="client-link" href={addressFor(client.id, isForSale)}>
            {nameOfClient(client.contactName)}
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
