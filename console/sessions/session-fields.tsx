import type { Problem } from "../api/problem.ts";
import { withStandIn } from "../booking/stand-in.ts";
import { useMe } from "../frame/me.ts";
import { ChecksField, SelectField, TextField } from "../parts/field.tsx";
import { type Catalog, choicesOf, useOwnLocations } from "./catalog.ts";
import { words } from "./words.ts";

/** What a single session and a schedule have in common, as it is typed. */
export interface SessionDraft {
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly resourceIds: readonly string[];
  readonly durationMinutes: string;
  readonly capacity: string;
}

/** The members that have a field here. */
export const SESSION_MEMBERS = [
  "serviceTypeId",
  "locationId",
  "resourceIds",
  "durationMinutes",
  "capacity",
] as const;

/** What is written of a draft; what is no number is refused by the server, beside its field. */
export function toSession({
  serviceTypeId,
  locationId,
  resourceIds,
  durationMinutes,
  capacity,
}: SessionDraft) {
  return {
    serviceTypeId,
    locationId,
    resourceIds,
    durationMinutes: Number(durationMinutes),
    capacity: Number(capacity),
  };
}

export function SessionFields({
  draft,
  catalog,
  problem,
  at = "",
  onChange,
}: {
  readonly draft: SessionDraft;
  readonly catalog: Catalog;
  readonly problem: Problem | undefined;
  /** Where the members are in the input: `changes.` for an edit. */
  readonly at?: string;
  readonly onChange: (changes: Partial<SessionDraft>) => void;
}) {
  const t = words();
  const { organization } = useMe();
  const own = useOwnLocations(catalog.locations);
  const fault = (member: string) => problem?.faultAt(at + member);
  const zone = catalog.locations.find(({ id }) => id === draft.locationId)?.timezone;
  // What is chosen stays a choice, archived or not.
  const serviceTypes = catalog.serviceTypes.filter(
    ({ id, status }) => status === "active" || id === draft.serviceTypeId,
  );
  const locations = catalog.locations.filter(
    (location) => own.includes(location) || location.id === draft.locationId,
  );
  const nothing = { value: "", label: t.choose };
  return (
    <div class="columns">
      <SelectField
        label={t.serviceType}
        value={draft.serviceTypeId}
        choices={[...(draft.serviceTypeId === "" ? [nothing] : []), ...choicesOf(serviceTypes)]}
        onChoose={(serviceTypeId) => onChange({ serviceTypeId })}
        fault={fault("serviceTypeId")}
      />
      <SelectField
        label={t.location}
        value={draft.locationId}
        choices={[...(draft.locationId === "" ? [nothing] : []), ...choicesOf(locations)]}
        onChoose={(locationId) => onChange({ locationId })}
        fault={fault("locationId")}
        hint={zone !== undefined && zone !== organization.timezone ? t.ownClock(zone) : undefined}
      />
      <TextField
        label={t.durationMinutes}
        type="number"
        min={1}
        value={draft.durationMinutes}
        onInput={(durationMinutes) => onChange({ durationMinutes })}
        isRequired
        fault={fault("durationMinutes")}
      />
      <TextField
        label={t.capacity}
        type="number"
        min={0}
        value={draft.capacity}
        onInput={(capacity) => onChange({ capacity })}
        isRequired
        fault={fault("capacity")}
      />
    </div>
  );
}

/** Who and what runs it. */
export function ResourceFields({
  draft,
  before = [],
  catalog,
  fault,
  onChange,
}: {
  readonly draft: SessionDraft;
  /** Who and what has run it so far. */
  readonly before?: readonly string[] | undefined;
  readonly catalog: Catalog;
  readonly fault: string | undefined;
  readonly onChange: (changes: Partial<SessionDraft>) => void;
}) {
  const t = words();
  const resources = catalog.resources.filter(
    ({ id, status }) => status === "active" || draft.resourceIds.includes(id),
  );
  if (resources.length === 0) return <p class="soft">{t.noResources}</p>;
  return (
    <div class="columns">
      {(["person", "room", "equipment"] as const).map((kind) => {
        const ofKind = resources.filter((resource) => resource.kind === kind);
        if (ofKind.length === 0) return null;
        const standing = { before, ofKind: kind === "equipment" ? [] : ofKind.map(({ id }) => id) };
        const change = (values: readonly string[]) => {
          const added = values.find((id) => !draft.resourceIds.includes(id));
          onChange({
            resourceIds: added === undefined ? values : withStandIn(draft.resourceIds, added, standing),
          });
        };
        return (
          <ChecksField
            key={kind}
            label={t.kinds[kind]}
            values={draft.resourceIds}
            choices={choicesOf(ofKind)}
            onChange={change}
            fault={kind === resources[0]?.kind ? fault : undefined}
          />
        );
      })}
    </div>
  );
}
