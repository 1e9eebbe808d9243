import { useRead, useWholeList } from "../../api/reads.ts";
import { IconButton } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import type { GrantDraft } from "./plan-draft.ts";
import { byName } from "./record-list.tsx";
import { words } from "./words.ts";

/** One thing that a plan gives: visits or credits, for what, how often. */
export function GrantFields({
  number,
  grant,
  fault,
  onChange,
  onRemove,
}: {
  readonly number: number;
  readonly grant: GrantDraft;
  /** The fault of a member; of the grant itself with "". */
  readonly fault: (member: string) => string | undefined;
  readonly onChange: (grant: GrantDraft) => void;
  readonly onRemove: (() => void) | undefined;
}) {
  const t = words();
  const types = useWholeList("/app/v1/service-types").data?.data ?? [];
  const groups = useRead("/app/v1/service-groups").data?.data ?? [];
  const offered = types.filter(({ id, status }) => status === "active" || grant.scope === `type:${id}`);
  const limits = [
    { value: "none" as const, label: t.unlimited },
    { value: "day" as const, label: t.perDay },
    { value: "week" as const, label: t.perWeek },
    { value: "month" as const, label: t.perMonth },
    ...(grant.limit === "ever" ? [{ value: "ever" as const, label: t.inAll }] : []),
  ];
  return (
    <fieldset class="grant">
      <legend>{t.grant(number)}</legend>
      <SelectField
        label={t.grantType}
        value={grant.type}
        choices={[
          { value: "access", label: t.access },
          { value: "credits", label: t.credits },
        ]}
        onChoose={(type) => onChange({ ...grant, type })}
        fault={fault("")}
      />
      <SelectField
        label={t.scope}
        value={grant.scope}
        choices={[
          { value: "all", label: t.scopeAll },
          ...byName(groups).map(({ id, name }) => ({ value: `group:${id}`, label: name, group: t.groups })),
          ...byName(offered).map(({ id, name }) => ({ value: `type:${id}`, label: name, group: t.services })),
        ]}
        onChoose={(scope) => onChange({ ...grant, scope })}
        fault={fault("serviceTypeId") ?? fault("serviceGroupId")}
      />
      {grant.type === "access" ? (
        <>
          <SelectField
            label={t.limit}
            value={grant.limit}
            choices={limits}
            onChoose={(limit) => onChange({ ...grant, limit })}
            fault={fault("period")}
          />
          {grant.limit !== "none" && (
            <TextField
              label={t.most}
              type="number"
              min={1}
              value={grant.most}
              onInput={(most) => onChange({ ...grant, most })}
              fault={fault("maxVisitsPerPeriod")}
            />
          )}
        </>
      ) : (
        <TextField
          label={t.quantity}
          type="number"
          min={1}
          value={grant.quantity}
          onInput={(quantity) => onChange({ ...grant, quantity })}
          fault={fault("creditQuantity")}
        />
      )}
      {onRemove && (
        <div class="grant-remove">
          <IconButton icon="delete" label={t.removeGrant} onClick={onRemove} />
        </div>
      )}
    </fieldset>
  );
}
