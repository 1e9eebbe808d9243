import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { writeOrTell } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { callLink, mailLink, whatsAppLink } from "../../languages/given-text.ts";
import { LANGUAGES, type Language } from "../../languages/languages.ts";
import { language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Badge } from "../../parts/notice.tsx";
import { useDoneRows } from "./done-rows.ts";
import { messageOf, subjectOf, type ToldBooking } from "./messages.ts";
import { profileOf, SessionTime, TodoEntry } from "./todo-entry.tsx";
import type { Todo } from "./todo-types.ts";
import { todoWords } from "./todo-words.ts";

type OpenBooking = Todo["toTell"]["data"][number];

const OWN_NAMES: Record<Language, string> = { en: "English", "pt-BR": "Português", es: "Español" };

/** In which language people are told: kept while the pages are open. */
const tellingLanguage = signal<Language | undefined>(undefined);

/** Whom to tell what: each with the text ready to be sent, all of them to be copied. */
export function ToTell({ bookings }: { readonly bookings: readonly OpenBooking[] }) {
  const t = todoWords();
  const { organization } = useMe();
  const chosen = tellingLanguage.value ?? language.value;
  const { rows, markDone } = useDoneRows(bookings, ({ id }) => id);
  const textOf = (booking: OpenBooking) => messageOf(chosen, toldOf(booking), organization.name);
  const tell = async (told: readonly OpenBooking[], said: string) => {
    const bookingIds = told.map(({ id }) => id);
    if (await writeOrTell("markTold", { bookingIds }, { said }))
      for (const booking of told) markDone(booking);
  };
  return (
    <>
      <div class="telling">
        <SelectField
          label={t.tellIn}
          value={chosen}
          choices={LANGUAGES.map((value) => ({ value, label: OWN_NAMES[value] }))}
          onChoose={(value) => {
            tellingLanguage.value = value;
          }}
        />
        {bookings.length > 0 && (
          <CopyAll
            text={bookings.map((booking) => `${contactOf(booking)}\n${textOf(booking)}`).join("\n\n")}
          />
        )}
      </div>
      <ul>
        {rows.map(({ row: booking, isDone }) => {
          const { id, clientPhone, clientEmail } = booking;
          const clientName = nameOfClient(booking.clientName);
          const text = textOf(booking);
          const subject = subjectOf(chosen, toldOf(booking));
          return (
            <TodoEntry
              key={id}
              title={clientName}
              href={profileOf(booking.clientId)}
              action={
                isDone ? (
                  <Badge tone="good">{t.rowDone}</Badge>
                ) : (
                  <Button isSmall icon="check" onClick={() => void tell([booking], t.wasTold(clientName))}>
                    {t.told}
                    <span class="for-readers"> {clientName}</span>
                  </Button>
                )
              }
            >
              <p>
                {t.changes[toldOf(booking).change]} <SessionTime session={booking} />
              </p>
              <p class="telling-text" lang={chosen}>
                {text}
              </p>
              <p class="todo-contacts">
                {clientPhone && (
                  <>
                    <a href={whatsAppLink(clientPhone, text)} target="_blank" rel="noreferrer">
                      <Icon name="message" size={16} /> WhatsApp
                      <span class="for-readers"> {clientName}</span>
                    </a>
                    <a {...callLink(clientPhone)}>
                      <Icon name="phone" size={16} /> {clientPhone}
                    </a>
                  </>
                )}
                {clientEmail && (
                  <a href={mailLink(clientEmail, { subject, body: text })}>
                    <Icon name="mail" size={16} /> {clientEmail}
                  </a>
                )}
              </p>
            </TodoEntry>
          );
        })}
      </ul>
      {bookings.length > 1 && (
        <div>
          <Button onClick={() => void tell(bookings, t.wereTold(bookings.length))}>{t.allTold}</Button>
        </div>
      )}
    </>
  );
}

function toldOf(booking: OpenBooking): ToldBooking {
  const { state, moved, sessionStatus } = booking;
  const isOff = state === "cancelled" || sessionStatus === "cancelled";
  return { ...booking, change: isOff ? "cancelled" : moved ? "moved" : "booked" };
}

function contactOf({ clientName, clientPhone, clientEmail }: OpenBooking): string {
  return [clientName, clientPhone, clientEmail].filter((part) => part !== undefined).join(" · ");
}

/** For a program that sends to many. Where a page has no clipboard, the text can be copied by hand. */
function CopyAll({ text }: { readonly text: string }) {
  const t = todoWords();
  const [copied, setCopied] = useState<string>();
  const [isByHand, setByHand] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      setByHand(true);
    }
  };
  return (
    <>
      <Button icon={copied === text ? "check" : "copy"} onClick={() => void copy()}>
        {copied === text ? t.copied : t.copyAll}
      </Button>
      {isByHand && <textarea class="input" aria-label={t.copyAll} rows={6} readOnly value={text} />}
    </>
  );
}
