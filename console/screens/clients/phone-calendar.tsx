import { useState } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { type MadeCalendarLink, MadeLinkDialog } from "../../calendar-links/made-link-dialog.tsx";
import { RevokeLinkDialog } from "../../calendar-links/revoke-link-dialog.tsx";
import { words as linkWords } from "../../calendar-links/words.ts";
import { useMe } from "../../frame/me.ts";
import { fullDate, localIn, relative } from "../../languages/format.ts";
import { language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import type { Client } from "./records.ts";

/** The links by which a client has their bookings on the phone: made, scanned and ended here. */
export function PhoneCalendar({
  client: { id: clientId, contactName },
  onClose,
}: {
  readonly client: Client;
  readonly onClose: () => void;
}) {
  const t = linkWords();
  const timeZone = useMe().organization.timezone;
  const list = useRead("/app/v1/calendar-links", { query: { clientId } });
  const write = useWrite("mintCalendarLink");
  const [made, setMade] = useState<MadeCalendarLink>();
  const [revoked, setRevoked] = useState<string>();
  if (made) return <MadeLinkDialog link={made} onClose={onClose} />;
  return (
    <Dialog title={t.phoneTitle(contactName)} onClose={onClose}>
      <p>{t.phoneText}</p>
      <ProblemNotice problem={write.problem} />
      <Shown reading={list}>
        {({ data }) => (
          <ul class="phone-links">
            {data
              .filter(({ status }) => status === "active")
              .map(({ id, createdAt, lastFetchedAt }) => (
                <li key={id} class="row">
                  <span>
                    {t.madeOn(fullDate(localIn(createdAt, timeZone)))},{" "}
                    {lastFetchedAt ? t.fetched(relative(lastFetchedAt, Date.now())) : t.neverFetched}
                  </span>
                  <Button onClick={() => setRevoked(id)}>{t.revoke}</Button>
                </li>
              ))}
          </ul>
        )}
      </Shown>
      <Actions>
        <Button
          kind="main"
          icon="calendar"
          isBusy={write.isBusy}
          onClick={async () => {
            const answer = await write.run({ clientId, language: language.value });
            if (answer?.result) setMade(answer.result);
          }}
        >
          {t.makeLink}
        </Button>
      </Actions>
      {revoked !== undefined && (
        <RevokeLinkDialog calendarLinkId={revoked} onClose={() => setRevoked(undefined)} />
      )}
    </Dialog>
  );
}
