import { useState } from "preact/hooks";
import { useWrite } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { dictionary } from "../languages/words.ts";
import { Button } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import type { PickedClient } from "./client-picker.tsx";

const words = dictionary(
  {
    name: "Name",
    phone: "Phone",
    add: "Add and go on",
    back: "Somebody else",
    added: (name: string) => `${name} is added.`,
    later: "Everything else can be added to the profile later.",
  },
  {
    name: "Nome",
    phone: "Telefone",
    add: "Cadastrar e continuar",
    back: "Outra pessoa",
    added: (name: string) => `${name} foi cadastrado(a).`,
    later: "O resto pode ser completado depois no cadastro.",
  },
  {
    name: "Nombre",
    phone: "Teléfono",
    add: "Añadir y continuar",
    back: "Otra persona",
    added: (name: string) => `Se añadió a ${name}.`,
    later: "Lo demás se puede completar después en la ficha.",
  },
);

/** What was typed to find somebody: a number is a phone, anything else a name. */
const isPhone = (text: string) => /^[\d\s()+./-]+$/.test(text);

/** Somebody who stands at the desk and is not known yet: a name and a phone, and on with the booking. */
export function NewClient({
  typed,
  locationId,
  onAdded,
  onBack,
}: {
  readonly typed: string;
  /** Where they come to; an organization with several locations needs to know. */
  readonly locationId: string | undefined;
  readonly onAdded: (client: PickedClient) => void;
  readonly onBack: () => void;
}) {
  const t = words();
  const { locationIds } = useMe().staff;
  const [name, setName] = useState(isPhone(typed) ? "" : typed);
  const [phone, setPhone] = useState(isPhone(typed) ? typed : "");
  const adding = useWrite("addClient");
  const place = locationId ?? locationIds[0];
  const add = async () => {
    const answer = await adding.run(
      {
        contactName: name.trim(),
        ...(phone.trim() !== "" && { contactPhone: phone.trim() }),
        ...(place !== undefined && { locationIds: [place] }),
      },
      { said: t.added(name.trim()) },
    );
    if (answer?.result) onAdded(answer.result);
  };
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <ProblemNotice problem={adding.problem} shown={["contactName", "contactPhone"]} />
      <div class="columns">
        <TextField
          label={t.name}
          value={name}
          onInput={setName}
          maxLength={200}
          isRequired
          hasFocus={name === ""}
          fault={adding.problem?.faultAt("contactName")}
        />
        <TextField
          label={t.phone}
          type="tel"
          value={phone}
          onInput={setPhone}
          hasFocus={name !== ""}
          fault={adding.problem?.faultAt("contactPhone")}
        />
      </div>
      <p class="soft">{t.later}</p>
      <Actions>
        <Button kind="main" icon="plus" isSubmit isBusy={adding.isBusy}>
          {t.add}
        </Button>
        <Button onClick={onBack}>{t.back}</Button>
      </Actions>
    </form>
  );
}
