import { useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { nameOfClient } from "../languages/client-name.ts";
import { dictionary } from "../languages/words.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { Badge } from "../parts/notice.tsx";
import { fitsName } from "./name-search.ts";
import { LEAST_LETTERS } from "./search-letters.ts";

export type PickedClient = Pick<Schemas["FoundPerson"], "id" | "contactName" | "status">;

const words = dictionary(
  { archived: "Archived", add: (name: string) => `New client “${name}”`, hint: "Two letters of the name" },
  { archived: "Arquivado", add: (name: string) => `Novo cliente “${name}”`, hint: "Duas letras do nome" },
  { archived: "Archivado", add: (name: string) => `Nuevo cliente «${name}»`, hint: "Dos letras del nombre" },
);

const MOST_FOUND = 8;

interface ClientPickerProps {
  readonly label: string;
  readonly onChoose: (client: PickedClient) => void;
  /** Offered below what was found; without it nothing new can be made from here. */
  readonly onNew?: (name: string) => void;
  readonly hasFocus?: boolean;
  /** Also people who are archived. */
  readonly withArchived?: boolean;
}

type Option = { readonly client: Schemas["FoundPerson"] } | { readonly newName: string };

/** Finds a client while one types: by name, e-mail address, phone or document. */
export function ClientPicker({ label, onChoose, onNew, hasFocus, withArchived }: ClientPickerProps) {
  const t = words();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const isAsked = wanted.length >= LEAST_LETTERS;
  const found = useRead(
    isAsked ? "/app/v1/people" : undefined,
    { query: { query: wanted, limit: MOST_FOUND } },
    { keepsLast: true },
  );
  // Until the answer is there, only those of the last one who fit what is typed now: Enter must not take somebody else, nor
  // begin a new client who is only not found yet.
  const clients: Option[] = (found.data?.data ?? [])
    .filter(({ status }) => withArchived || status === "active")
    .filter(({ contactName }) => !found.isLoading || fitsName(contactName, wanted))
    .map((client) => ({ client }));
  const options = onNew && !found.isLoading ? [...clients, { newName: wanted }] : clients;
  return (
    <Combobox
      label={label}
      text={text}
      onText={setText}
      placeholder={t.hint}
      options={isAsked ? options : []}
      isReady={isAsked && !found.isLoading}
      fault={found.problem?.sentence}
      keyOf={(option) => ("client" in option ? option.client.id : "new")}
      {...(hasFocus !== undefined && { hasFocus })}
      show={(option) =>
        "client" in option ? (
          <>
            <span>{nameOfClient(option.client.contactName)}</span>
            {option.client.status === "archived" && <Badge>{t.archived}</Badge>}
            <small>{option.client.contactEmail ?? option.client.contactPhone}</small>
          </>
        ) : (
          <>
            <Icon name="plus" /> <span>{t.add(option.newName)}</span>
          </>
        )
      }
      onChoose={(option) => {
        setText("");
        if ("client" in option) onChoose(option.client);
        else onNew?.(option.newName);
      }}
    />
  );
}
