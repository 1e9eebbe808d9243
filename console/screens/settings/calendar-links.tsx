import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import type { MadeCalendarLink } from "../../calendar-links/made-link-dialog.tsx";
import { useMe } from "../../frame/me.ts";
import { fullDate, localIn, relative } from "../../languages/format.ts";
import { LANGUAGES, language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Badge, Empty } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { type Catalog, choicesOf, useCatalog } from "../../sessions/catalog.ts";
import { words } from "./link-words.ts";

// What draws QR codes is fetched when a link is made.
const [MadeLink] = lazyDialog(
  async () => (await import("../../calendar-links/made-link-dialog.tsx")).MadeLinkDialog,
);
const [RevokeLinkDialog] = lazyDialog(
  async () => (await import("../../calendar-links/revoke-link-dialog.tsx")).RevokeLinkDialog,
);

type CalendarLink = Schemas["CalendarLink"];
/** How far a link shows the future, in days. */
const AHEAD = { month: 31, quarter: 90, year: 366 } as const;
const OVERLAPS = { none: "0s", day: "24h", week: "7d" } as const;

/** Links by which the sessions are in other people's calendars and on websites. */
export function CalendarLinks() {
  const t = words();
  const { organization } = useMe();
  const list = useRead("/app/v1/calendar-links");
  const catalog = useCatalog();
  const showsEnded = route.value.query.get("show") === "ended";
  const [isMinting, setMinting] = useState(false);
  const [rotated, setRotated] = useState<CalendarLink>();
  const [revoked, setRevoked] = useState<CalendarLink>();
  const [made, setMade] = useState<MadeCalendarLink>();
  const dayOf = (instant: string) => fullDate(localIn(instant, organization.timezone));
  const mint = (
    <Button kind="main" icon="plus" onClick={() => setMinting(true)}>
      {t.mint}
    </Button>
  );
  return (
    <>
      <Shown reading={list}>
        {({ data, total }) =>
          total === 0 ? (
            <Empty icon="calendar" title={t.noLinks} action={mint}>
              {t.noLinksText}
            </Empty>
          ) : (
            <>
              <div class="settings-head">
                {data.some(({ status }) => status !== "active") && (
                  <CheckField
                    label={t.showEnded}
                    isChecked={showsEnded}
                    onChange={(isChecked) => setQuery({ show: isChecked ? "ended" : undefined })}
                  />
                )}
                {mint}
              </div>
              <Table
                caption={t.links}
                rows={data.filter(({ status }) => showsEnded || status === "active")}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: t.shows,
                    cell: (link) => (
                      <>
                        <strong class="unbroken">{nameOf(link, catalog, t.everything)}</strong>{" "}
                        {link.status !== "active" && <Badge tone="warning">{t.statuses[link.status]}</Badge>}
                        {link.shownUntil && <p class="soft">{t.shownUntil(fullDate(link.shownUntil))}</p>}
                      </>
                    ),
                  },
                  {
                    title: t.lastFetch,
                    cell: ({ lastFetchedAt }) =>
                      lastFetchedAt ? relative(lastFetchedAt, Date.now()) : t.neverFetched,
                  },
                  { title: t.created, isExtra: true, cell: ({ createdAt }) => dayOf(createdAt) },
                  {
                    title: t.ends,
                    isExtra: true,
                    cell: ({ expiresAt, revokedAt }) =>
                      revokedAt ? dayOf(revokedAt) : expiresAt ? dayOf(expiresAt) : t.never,
                  },
                  {
                    title: t.actionsTitle,
                    isTitleHidden: true,
                    cell: (link) =>
                      link.status === "active" && (
                        <Menu
                          label={t.actions(nameOf(link, catalog, t.everything))}
                          items={[
                            { label: t.rotate, icon: "repeat", onChoose: () => setRotated(link) },
                            {
                              label: t.revoke,
                              icon: "block",
                              isDangerous: true,
                              onChoose: () => setRevoked(link),
                            },
                          ]}
                        />
                      ),
                  },
                ]}
              />
            </>
          )
        }
      </Shown>
      {isMinting && <MintForm catalog={catalog} onClose={() => setMinting(false)} onMade={setMade} />}
      {rotated && (
        <RotateForm
          name={nameOf(rotated, catalog, t.everything)}
          of={rotated}
          onClose={() => setRotated(undefined)}
          onMade={setMade}
        />
      )}
      {revoked && <RevokeLinkDialog calendarLinkId={revoked.id} onClose={() => setRevoked(undefined)} />}
      {made && <MadeLink link={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

/** What it is called, or else what it shows. */
function nameOf(link: CalendarLink, catalog: Catalog, everything: string): string {
  if (link.clientId !== undefined) return link.clientName ?? link.clientId;
  const { locations, serviceTypes, resources } = catalog;
  const limits = [
    locations.find(({ id }) => id === link.locationId),
    serviceTypes.find(({ id }) => id === link.serviceTypeId),
    resources.find(({ id }) => id === link.resourceId),
  ];
  const names = limits.flatMap((limit) => limit?.name ?? []);
  return link.name ?? (names.length === 0 ? everything : names.join(", "));
}

interface MakerProps {
  readonly onClose: () => void;
  readonly onMade: (link: MadeCalendarLink) => void;
}

function MintForm({ catalog, onClose, onMade }: MakerProps & { readonly catalog: Catalog }) {
  const t = words();
  const [name, setName] = useState("");
  const [locationId, setLocation] = useState("");
  const [serviceTypeId, setServiceType] = useState("");
  const [resourceId, setResource] = useState("");
  const [ahead, setAhead] = useState<keyof typeof AHEAD>("quarter");
  const [spoken, setSpoken] = useState(language.value);
  const [showSeats, setShowSeats] = useState(false);
  const write = useWrite("mintCalendarLink");
  const { locations, serviceTypes, resources } = catalog;
  const limit = (
    label: string,
    value: string,
    all: string,
    records: Parameters<typeof choicesOf>[0],
    choose: (id: string) => void,
  ) => (
    <SelectField
      label={label}
      value={value}
      choices={[{ value: "", label: all }, ...choicesOf(records)]}
      onChoose={choose}
    />
  );
  return (
    <FormDialog
      title={t.mintTitle}
      save={t.mintSave}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={["name"]}
      onSubmit={async () => {
        const answer = await write.run({
          ...(name.trim() !== "" && { name: name.trim() }),
          ...(locationId !== "" && { locationId }),
          ...(serviceTypeId !== "" && { serviceTypeId }),
          ...(resourceId !== "" && { resourceId }),
          aheadDays: AHEAD[ahead],
          language: spoken,
          showSeats,
        });
        if (!answer?.result) return;
        onClose();
        onMade(answer.result);
      }}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        onInput={setName}
        fault={write.problem?.faultAt("name")}
        maxLength={100}
        hasFocus
      />
      {limit(t.location, locationId, t.allLocations, locations, setLocation)}
      {limit(t.serviceType, serviceTypeId, t.allServiceTypes, serviceTypes, setServiceType)}
      {limit(t.resource, resourceId, t.allResources, resources, setResource)}
      <SelectField
        label={t.ahead}
        value={ahead}
        choices={(["month", "quarter", "year"] as const).map((value) => ({ value, label: t.aheads[value] }))}
        onChoose={setAhead}
      />
      <SelectField
        label={t.language}
        hint={t.languageHint}
        value={spoken}
        choices={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        onChoose={setSpoken}
      />
      <CheckField label={t.showSeats} isChecked={showSeats} onChange={setShowSeats} hint={t.showSeatsHint} />
    </FormDialog>
  );
}

/** Each as itself has it. */
const LANGUAGE_NAMES = { en: "English", "pt-BR": "Português", es: "Español" } as const;

function RotateForm({
  name,
  of: { id },
  onClose,
  onMade,
}: MakerProps & { readonly name: string; readonly of: CalendarLink }) {
  const t = words();
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>("week");
  const write = useWrite("rotateCalendarLink");
  return (
    <FormDialog
      title={t.rotateTitle(name)}
      save={t.mintSave}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={[]}
      onSubmit={async () => {
        const answer = await write.run({ calendarLinkId: id, overlap: OVERLAPS[overlap] });
        if (!answer?.result) return;
        onClose();
        onMade(answer.result);
      }}
      onClose={onClose}
    >
      <p>{t.rotateText}</p>
      <SelectField
        label={t.overlap}
        value={overlap}
        choices={(["none", "day", "week"] as const).map((value) => ({ value, label: t.overlaps[value] }))}
        onChoose={setOverlap}
      />
    </FormDialog>
  );
}
