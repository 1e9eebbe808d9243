import { useState } from "preact/hooks";
import { IconButton } from "../parts/button.tsx";
import { BookForm } from "./book-form.tsx";
import { ClientPicker, type PickedClient } from "./client-picker.tsx";
import { NewClient } from "./new-client.tsx";
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
  const [newName, setNewName] = useState<string>();
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
      ) : newName !== undefined ? (
        <NewClient
          typed={newName}
          locationId={roster.session.locationId}
          onAdded={(added) => {
            setNewName(undefined);
            setClient(added);
          }}
          onBack={() => setNewName(undefined)}
        />
      ) : (
        <div class="book-search">
          <ClientPicker label={t.who} hasFocus onChoose={setClient} onNew={setNewName} />
          <IconButton icon="close" label={t.stopBooking} onClick={onDone} />
        </div>
      )}
    </section>
  );
}
