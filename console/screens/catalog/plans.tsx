import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { writeOrTell } from "../../api/writes.ts";
import { useMay } from "../../frame/me.ts";
import { count, listOf } from "../../languages/format.ts";
import { plural } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { Badge } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { offsetOf, PAGE_SIZE, Pager } from "../../parts/table.tsx";
import {
  type CatalogNames,
  durationInWords,
  grantInWords,
  priceInWords,
  useCatalogNames,
} from "../../plan-words/plan-words.ts";
import { go, route } from "../../routing/router.ts";
import { addressOfPart, showsArchived } from "./addresses.ts";
import { DeleteDialog } from "./record-dialogs.tsx";
import { archiveItem, byName, ListHead, RecordMenu, RecordName, RecordTable } from "./record-list.tsx";
import { words } from "./words.ts";

type Plan = Schemas["Plan"];

/** What is sold. */
export function Plans() {
  const t = words();
  const isArchived = showsArchived();
  const offset = offsetOf(route.value.query);
  const list = useRead(
    "/app/v1/plans",
    { query: { status: isArchived ? "archived" : "active", limit: PAGE_SIZE, offset } },
    { keepsLast: true },
  );
  const names = useCatalogNames();
  const sales = new Map(
    useRead("/app/v1/plan-contracts").data?.data.map((numbers) => [numbers.planId, numbers]),
  );
  const mayEdit = useMay("manager");
  const mayDelete = useMay("owner");
  const [deleted, setDeleted] = useState<Plan>();
  const archive = ({ id, name }: Plan) =>
    void writeOrTell("archivePlan", { planId: id }, { said: t.archivedNow(name) });
  const restore = ({ id, name }: Plan) =>
    void writeOrTell("restorePlan", { planId: id }, { said: t.restored(name) });
  const soldText = (number: number) =>
    number === 0 ? undefined : t.deletePlanText(count(number), plural(number, "one", "other") === "one");
  const add = mayEdit && (
    <Button kind="main" icon="plus" href={addressOfPart("plans", "new")}>
      {t.addPlan}
    </Button>
  );
  return (
    <>
      <ListHead active={t.active} archived={t.archived} action={add} />
      <Shown reading={list}>
        {({ data, total }) => (
          <>
            <RecordTable
              caption={t.plans}
              rows={total <= PAGE_SIZE ? byName(data) : data}
              total={total}
              isArchived={isArchived}
              empty={{ icon: "ticket", title: t.noPlans, text: t.noPlansText, action: add }}
              columns={[
                {
                  title: t.name,
                  cell: (plan) => (
                    <>
                      <RecordName part="plans" id={plan.id} name={plan.name} mayOpen={mayEdit} />{" "}
                      {plan.isTrial && <Badge tone="accent">{t.trial}</Badge>}
                      {names && <Grants plan={plan} names={names} />}
                    </>
                  ),
                },
                ...(names && names.locations.size > 1
                  ? [
                      {
                        title: t.where,
                        isExtra: true,
                        cell: (plan: Plan) => placesOf(plan, names, t.everywhere),
                      },
                    ]
                  : []),
                {
                  title: t.contracts,
                  isNumber: true,
                  isExtra: true,
                  cell: ({ id }) => count(sales.get(id)?.running ?? 0),
                },
                {
                  title: t.price,
                  isNumber: true,
                  cell: (plan) => (
                    <>
                      {priceInWords(plan)}
                      <p class="soft">{durationInWords(plan)}</p>
                    </>
                  ),
                },
              ]}
              menu={(plan) => (
                <RecordMenu
                  name={plan.name}
                  edit={mayEdit && (() => void go(addressOfPart("plans", plan.id)))}
                  use={
                    mayEdit &&
                    archiveItem(plan.status, { archive: () => archive(plan), restore: () => restore(plan) })
                  }
                  remove={mayDelete && (() => setDeleted(plan))}
                />
              )}
            />
            {total > 0 && <Pager offset={offset} shown={data.length} total={total} />}
          </>
        )}
      </Shown>
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          operation="deletePlan"
          input={{ planId: deleted.id }}
          text={soldText(sales.get(deleted.id)?.sold ?? 0)}
          instead={
            deleted.status === "active" && { label: t.insteadArchive, onChoose: () => archive(deleted) }
          }
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

/** What a plan grants, one line each. */
export function Grants({
  plan,
  names,
}: {
  readonly plan: Pick<Plan, "entitlements">;
  readonly names: CatalogNames;
}) {
  return (
    <ul class="soft">
      {plan.entitlements.map((grant) => (
        <li key={`${grant.type} ${grant.serviceTypeId} ${grant.serviceGroupId}`}>
          {grantInWords(grant, names)}
        </li>
      ))}
    </ul>
  );
}

function placesOf(
  { allLocations, locationIds }: Plan,
  { locations }: CatalogNames,
  everywhere: string,
): string {
  return allLocations ? everywhere : listOf(locationIds.map((id) => locations.get(id) ?? "…"));
}
