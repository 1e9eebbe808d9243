import { useState } from "preact/hooks";
import { IconButton } from "../parts/button.tsx";
import { go } from "../routing/router.ts";
import { BookForm } from "./book-form.tsx";
import { ClientPicker, type PickedClient } from "./client-picker.tsx";
import type { Roster } from "./roster-types.ts";
import { words } from "./words.ts";

/** Who is booked, then on what. Afterwards the next one can be named at once. */
export function BookSomebody({
  roster,
  now,
  onDone,
}: {
  readonly roster: Roster;
  readonly now: number;
  readonly onDone: () => void;
}) {
  const t = words();
  const [client, setClient] = useState<PickedClient>();
  return (
    <section class="card stack book-somebody" aria-label={t.book}>
      {client ? (
        <>
          <header class="section-head">
            <h3>{client.contactName}</h3>
            <IconButton icon="close" label={t.another} onClick={() => setClient(undefined)} />
          </header>
          <BookForm roster={roster} now={now} client={client} onDone={() => setClient(undefined)} />
        </>
      ) : (
        <div class="book-search">
          <ClientPicker
            label={t.who}
            hasFocus
            onChoose={setClient}
            onNew={(name) => void go(`/console/clients/new?name=${encodeURIComponent(name)}`)}
          />
          <IconButton icon="close" label={t.stopBooking} onClick={onDone} />
        </div>
      )}
    </section>
  );
}
