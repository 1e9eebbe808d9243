import { useState } from "preact/hooks";
import { Problem } from "../../api/problem.ts";
import { showToast } from "../../api/toasts.ts";
import { write, writeOrTell } from "../../api/writes.ts";
import { BookClientDialog } from "../../booking/session-panel.tsx";
import { useMay, useMe } from "../../frame/me.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { fullDate, listOf, localIn } from "../../languages/format.ts";
import { callLink, mailLink } from "../../languages/given-text.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Badge, Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useCatalogNames } from "../../plan-words/plan-words.ts";
import { AtAGlance } from "./at-a-glance.tsx";
import { ContractList } from "./contract-list.tsx";
import {
  addressLines,
  addressOfClient,
  type Client,
  type ClientContracts,
  documentText,
  yearsBetween,
} from "./records.ts";
import { Visits } from "./visits.tsx";
import { words } from "./words.ts";

const [EraseDialog] = lazyDialog(async () => (await import("./erase-dialog.tsx")).EraseDialog);
const [FixedPlaces] = lazyDialog(async () => (await import("./fixed-places.tsx")).FixedPlaces);
const [AccountTab] = lazyDialog(async () => (await import("./account.tsx")).AccountTab);
/** Links to calendars are made for few: their dialog is fetched when it is opened. */
const [PhoneCalendar] = lazyDialog(async () => (await import("./phone-calendar.tsx")).PhoneCalendar);

interface ProfileProps {
  readonly client: Client;
  readonly contracts: ClientContracts;
  readonly tab: "contracts" | "account" | "visits";
}

/** One client: who it is, what they have, what they owe, when they came. */
export function Profile({ client, contracts, tab }: ProfileProps) {
  const t = words();
  const { id, contactName, status } = client;
  const { erasedAt } = contracts;
  const timeZone = useMe().organization.timezone;
  return (
    <Page
      title={nameOfClient(contactName)}
      subtitle={
        <>
          <a href="/console/clients">{t.back}</a> · {t.since(fullDate(localIn(client.createdAt, timeZone)))}{" "}
          {erasedAt ? <Badge>{t.erased}</Badge> : status === "archived" && <Badge>{t.archived}</Badge>}
        </>
      }
      actions={erasedAt ? undefined : <ProfileActions client={client} today={contracts.today} />}
    >
      {erasedAt ? (
        <Notice>{t.erasedNotice(fullDate(localIn(erasedAt, timeZone)))}</Notice>
      ) : (
        <>
          {status === "archived" && <Notice tone="warning">{t.archivedNotice}</Notice>}
          <AtAGlance clientId={id} contracts={contracts} />
          <FixedPlaces client={client} today={contracts.today} />
          <Person client={client} today={contracts.today} />
        </>
      )}
      <Tabs
        label={t.parts}
        current={tab}
        tabs={[
          { name: "contracts", label: t.tabs.contracts, href: addressOfClient(id) },
          { name: "account", label: t.tabs.account, href: addressOfClient(id, "account") },
          { name: "visits", label: t.tabs.visits, href: addressOfClient(id, "visits") },
          { name: "history", label: t.tabs.history, href: `/console/audit?clientId=${id}` },
        ]}
      />
      {tab === "contracts" && <ContractList client={client} contracts={contracts} />}
      {tab === "account" && <AccountTab client={client} isErased={erasedAt !== undefined} />}
      {tab === "visits" && <Visits clientId={id} />}
    </Page>
  );
}

function ProfileActions({ client, today }: { readonly client: Client; readonly today: string }) {
  const t = words();
  const isOwner = useMay("owner");
  const [isBooking, setBooking] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const [isOnPhone, setOnPhone] = useState(false);
  const { id: clientId, contactName, status } = client;
  const isArchived = status === "archived";
  const items: MenuItem[] = [
    { label: t.phoneCalendar, icon: "phone", onChoose: () => setOnPhone(true) },
    isArchived
      ? {
          label: t.restore,
          icon: "restore",
          onChoose: () =>
            void writeOrTell("restoreClient", { clientId }, { said: t.restoreDone(contactName) }),
        }
      : {
          label: t.archive,
          icon: "archive",
          onChoose: () =>
            void writeOrTell("archiveClient", { clientId }, { said: t.archiveDone(contactName) }),
        },
    ...(isOwner
      ? ([
          { label: t.export, icon: "download", onChoose: () => void exportClient(client, t.exportDone) },
          { label: t.erase, icon: "delete", isDangerous: true, onChoose: () => setErasing(true) },
        ] as const)
      : []),
  ];
  return (
    <>
      {!isArchived && (
        <>
          <Button kind="main" icon="plus" aria-haspopup="dialog" onClick={() => setBooking(true)}>
            {t.book}
          </Button>
          <Button icon="ticket" href={addressOfClient(clientId, "sell")}>
            {t.sell}
          </Button>
        </>
      )}
      <Button icon="edit" href={addressOfClient(clientId, "edit")}>
        {t.edit}
      </Button>
      <Menu label={t.more} items={items} />
      {isBooking && <BookClientDialog client={client} today={today} onClose={() => setBooking(false)} />}
      {isOnPhone && <PhoneCalendar client={client} onClose={() => setOnPhone(false)} />}
      {isErasing && <EraseDialog client={client} onClose={() => setErasing(false)} />}
    </>
  );
}

/** Saves the document as a file. */
async function exportClient({ id, contactName }: Client, said: string): Promise<void> {
  try {
    const { result } = await write("exportClient", { clientId: id });
    const content = JSON.stringify(result, undefined, 2);
    const { saveAs } = await import("../../api/downloads.ts");
    saveAs(new Blob([content], { type: "application/json" }), `${contactName}.json`);
    showToast(said);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    showToast(error.message, undefined, "problem");
  }
}

function Person({ client, today }: { readonly client: Client; readonly today: string }) {
  const t = words();
  const names = useCatalogNames();
  const { contactPhone, contactEmail, birthdate, idDocument, address, notes, locationIds = [] } = client;
  const lines = addressLines(address);
  // With one location there is nothing to say.
  const places =
    names && names.locations.size > 1 ? locationIds.flatMap((id) => names.locations.get(id) ?? []) : [];
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t.birthdate, birthdate && `${fullDate(birthdate)} (${t.age(yearsBetween(birthdate, today))})`],
    [t.document, idDocument && documentText(idDocument)],
    [t.address, lines.length > 0 ? lines.join(", ") : undefined],
    [t.places, places.length > 0 ? listOf(places) : undefined],
    [t.notes, notes],
  ];
  const known = facts.filter(([, value]) => value !== undefined);
  if (!contactPhone && !contactEmail && known.length === 0) return null;
  return (
    <div class="card client-person">
      {(contactPhone || contactEmail) && (
        <p class="row">
          {contactPhone && (
            <a class="client-contact" {...callLink(contactPhone)}>
              <Icon name="phone" /> <span class="for-readers">{t.call}</span> {contactPhone}
            </a>
          )}
          {contactEmail && (
            <a class="client-contact" href={mailLink(contactEmail)}>
              <Icon name="mail" /> <span class="for-readers">{t.write}</span> {contactEmail}
            </a>
          )}
        </p>
      )}
      {known.length > 0 && (
        <dl class="client-facts">
          {known.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
