import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { listOf } from "../../languages/format.ts";
import { ContestedNotice } from "../../parts/contested.tsx";
import { ChecksField, ChoiceField, SelectField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { differences, useRecordFields } from "../../parts/record-fields.ts";
import type { MadeLink } from "./link-dialog.tsx";
import { words } from "./words.ts";

type Staff = Schemas["Staff"];
type StaffFields = Pick<Staff, "name" | "email" | "role" | "allLocations" | "locationIds"> & {
  readonly resourceId: string;
};
const TOGETHER = [
  ["allLocations", "locationIds"],
  ["role", "resourceId"],
] as const;
const ROLES = ["teacher", "front_desk", "manager", "owner"] as const;

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
  const stored: StaffFields = {
    name: person?.name ?? "",
    email: person?.email ?? "",
    role: person?.role ?? "front_desk",
    allLocations: person?.allLocations ?? true,
    locationIds: person?.locationIds ?? [],
    resourceId: person?.resourceId ?? "",
  };
  const people = useRead("/app/v1/resources").data?.data.filter(
    ({ id, kind, status }) => kind === "person" && (status === "active" || id === stored.resourceId),
  );
  const { fields, isChanged, set, contested } = useRecordFields(stored);
  const isOwner = fields.role === "owner";
  const isTeacher = fields.role === "teacher";
  const allLocations = isOwner || fields.allLocations;
  const { locationIds } = fields;
  const adding = useWrite("addStaff");
  const editing = useWrite("editStaff");
  const { problem, isBusy } = person ? editing : adding;
  const prefix = person ? "changes." : "";
  const fault = (member: string) => problem?.faultAt(prefix + member);
  const save = async () => {
    const content = {
      ...fields,
      name: fields.name.trim(),
      email: fields.email.trim(),
      allLocations,
      locationIds: allLocations ? [] : locationIds,
    };
    if (person) {
      const done = await editing.run(
        { staffId: person.id, changes: asSent(differences(stored, content, TOGETHER)) },
        {
          said: t.saved(content.name),
          // The trail holds neither names nor addresses, so only the screen knows what was there.
          undo: {
            operation: "editStaff",
            input: { staffId: person.id, changes: asSent(differences(content, stored, TOGETHER)) },
          },
        },
      );
      if (done) onClose();
      return;
    }
    const answer = await adding.run(asSent(content));
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
      shown={["name", "email", "locationIds", "resourceId"].map((member) => prefix + member)}
      isChanged={isChanged}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      {!isBusy && (
        <ContestedNotice
          parts={contested({
            name: [t.name, stored.name],
            email: [t.email, stored.email],
            role: [t.role, t.roles[stored.role]],
            resourceId: [t.person, people?.find(({ id }) => id === stored.resourceId)?.name ?? "–"],
            allLocations: [t.places, stored.allLocations ? t.allPlaces : t.somePlaces],
            locationIds: [
              t.locations,
              listOf(locations.filter(({ id }) => stored.locationIds.includes(id)).map(({ name }) => name)),
            ],
          })}
        />
      )}
      <TextField
        label={t.name}
        value={fields.name}
        onInput={(name) => set({ name })}
        fault={fault("name")}
        isRequired
        hasFocus
      />
      <TextField
        label={t.email}
        type="email"
        hint={t.emailHint}
        value={fields.email}
        onInput={(email) => set({ email })}
        fault={fault("email")}
        isRequired
      />
      <ChoiceField
        label={t.role}
        value={fields.role}
        choices={ROLES.map((value) => ({ value, label: t.roles[value], hint: t.roleHints[value] }))}
        onChoose={(role) => set({ role })}
      />
      {isTeacher && (
        <SelectField
          label={t.person}
          hint={t.personHint}
          value={fields.resourceId}
          choices={[
            { value: "", label: t.choosePerson },
            ...(people ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          fault={fault("resourceId")}
          onChoose={(resourceId) => set({ resourceId })}
        />
      )}
      {!isOwner && (locations.length > 1 || !allLocations) && (
        <ChoiceField
          label={t.places}
          value={allLocations ? "all" : "some"}
          choices={[
            { value: "all", label: t.allPlaces },
            { value: "some", label: t.somePlaces, hint: t.somePlacesHint },
          ]}
          onChoose={(choice) => set({ allLocations: choice === "all" })}
        />
      )}
      {!allLocations && (
        <ChecksField
          label={t.locations}
          values={locationIds}
          fault={fault("locationIds")}
          choices={locations
            .filter(({ id, status }) => status === "active" || locationIds.includes(id))
            .map(({ id, name: place }) => ({ value: id, label: place }))}
          onChange={(chosen) => set({ locationIds: chosen })}
        />
      )}
    </FormDialog>
  );
}

/** A person of the timetable is sent of a teacher alone, and only if one was chosen: the server says what is missing. */
function asSent<Sent extends Partial<StaffFields>>({ resourceId, ...rest }: Sent) {
  return { ...rest, ...(resourceId && rest.role === "teacher" && { resourceId }) };
}
