import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useWrite } from "../../api/writes.ts";
import { ChecksField, ChoiceField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { MadeLink } from "./link-dialog.tsx";
import { words } from "./words.ts";

type Staff = Schemas["Staff"];
const ROLES = ["front_desk", "manager", "owner"] as const;

/** Invites somebody, or changes who they are and what they may. */
export function StaffForm({
  person,
  locations,
  onClose,
  onLink,
}: {
  readonly person?: Staff;
  readonly locations: readonly Schemas["Location"][];
  readonly onClose: () => void;
  readonly onLink: (link: MadeLink) => void;
}) {
  const t = words();
  const [name, setName] = useState(person?.name ?? "");
  const [email, setEmail] = useState(person?.email ?? "");
  const [role, setRole] = useState<Staff["role"]>(person?.role ?? "front_desk");
  const [isEverywhere, setEverywhere] = useState(person?.allLocations ?? true);
  const [places, setPlaces] = useState<readonly string[]>(person?.locationIds ?? []);
  const adding = useWrite("addStaff");
  const editing = useWrite("editStaff");
  const { problem, isBusy } = person ? editing : adding;
  const prefix = person ? "changes." : "";
  const fault = (member: string) => problem?.faultAt(prefix + member);
  const save = async () => {
    const content = {
      name: name.trim(),
      email: email.trim(),
      role,
      allLocations: isEverywhere,
      locationIds: isEverywhere ? [] : places,
    };
    if (person) {
      const before = {
        name: person.name,
        email: person.email,
        role: person.role,
        allLocations: person.allLocations,
        locationIds: person.locationIds,
      };
      const done = await editing.run(
        { staffId: person.id, changes: content },
        {
          said: t.saved(content.name),
          // The trail holds neither names nor addresses, so only the screen knows what was there.
          undo: { operation: "editStaff", input: { staffId: person.id, changes: before } },
        },
      );
      if (done) onClose();
      return;
    }
    const answer = await adding.run(content);
    if (!answer?.result) return;
    onClose();
    onLink({ ...answer.result, name: content.name });
  };
  return (
    <FormDialog
      title={person ? t.editTitle : t.inviteTitle}
      save={person ? undefined : t.inviteSave}
      isBusy={isBusy}
      problem={problem}
      shown={["name", "email", "locationIds"].map((member) => prefix + member)}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={t.name} value={name} onInput={setName} fault={fault("name")} isRequired hasFocus />
      <TextField
        label={t.email}
        type="email"
        hint={t.emailHint}
        value={email}
        onInput={setEmail}
        fault={fault("email")}
        isRequired
      />
      <ChoiceField
        label={t.role}
        value={role}
        choices={ROLES.map((value) => ({ value, label: t.roles[value], hint: t.roleHints[value] }))}
        onChoose={setRole}
      />
      {(locations.length > 1 || !isEverywhere) && (
        <ChoiceField
          label={t.places}
          value={isEverywhere ? "all" : "some"}
          choices={[
            { value: "all", label: t.allPlaces },
            { value: "some", label: t.somePlaces, hint: t.somePlacesHint },
          ]}
          onChoose={(choice) => setEverywhere(choice === "all")}
        />
      )}
      {!isEverywhere && (
        <ChecksField
          label={t.locations}
          values={places}
          fault={fault("locationIds")}
          choices={locations
            .filter(({ id, status }) => status === "active" || places.includes(id))
            .map(({ id, name: place }) => ({ value: id, label: place }))}
          onChange={setPlaces}
        />
      )}
    </FormDialog>
  );
}
