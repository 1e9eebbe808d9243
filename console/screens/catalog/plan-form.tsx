import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { Problem } from "../../api/problem.ts";
import { useRead } from "../../api/reads.ts";
import { dryRun, type Input, useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { count, listOf } from "../../languages/format.ts";
import { amountText } from "../../languages/money.ts";
import { language, plural } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { Actions } from "../../parts/dialog.tsx";
import {
  CheckField,
  ChecksField,
  ChoiceField,
  SelectField,
  TextArea,
  TextField,
} from "../../parts/field.tsx";
import { FormDialog, GoneNotice } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Empty, ProblemNotice } from "../../parts/notice.tsx";
import { Page, Shown } from "../../parts/page.tsx";
import { useFormRecord, useRecordFields } from "../../parts/record-fields.ts";
import { durationInWords, grantInWords, priceInWords, useCatalogNames } from "../../plan-words/plan-words.ts";
import { go } from "../../routing/router.ts";
import { addressOfPart } from "./addresses.ts";
import { GrantFields } from "./grant-fields.tsx";
import {
  concernsContracts,
  contentOf,
  draftOf,
  grantOf,
  NEW_PLAN,
  newGrant,
  planChanges,
} from "./plan-draft.ts";
import { Grants } from "./plans.tsx";
import { byName } from "./record-list.tsx";
import { words } from "./words.ts";

type Plan = Schemas["Plan"];

/** A plan of its own page: new, or one that is changed. */
export function PlanPage({ id }: { readonly id: string }) {
  const t = words();
  const plan = useRead(id === "new" ? undefined : "/app/v1/plans/{id}", { params: { id } });
  const { record, isGone } = useFormRecord(id, plan.data);
  if (id === "new") return <PlanForm />;
  if (!record && plan.problem?.status === 404)
    return (
      <Page title={t.editPlan}>
        <Empty
          icon="ticket"
          title={t.gone}
          action={<Button href={addressOfPart("plans")}>{t.plans}</Button>}
        />
      </Page>
    );
  return record ? (
    <PlanForm plan={record} isGone={isGone} />
  ) : (
    <Page title={t.editPlan}>
      <Shown reading={plan}>{() => null}</Shown>
    </Page>
  );
}

function PlanForm({ plan, isGone = false }: { readonly plan?: Plan; readonly isGone?: boolean }) {
  const t = words();
  const { organization } = useMe();
  const currency = plan?.currency ?? organization.currency;
  const stored = plan ? draftOf(plan) : NEW_PLAN;
  const { fields: draft, isChanged, set: change, contested } = useRecordFields(stored);
  const [hasAmountFault, setAmountFault] = useState(false);
  const [refused, setRefused] = useState<Problem>();
  const [asked, setAsked] = useState<{
    readonly changes: Input<"editPlan">["changes"];
    readonly contracts: number;
  }>();
  const adding = useWrite("addPlan");
  const editing = useWrite("editPlan");
  const names = useCatalogNames();
  const locations = useRead("/app/v1/locations").data?.data ?? [];
  const problem = (refused ?? adding.problem ?? editing.problem)?.named({
    durationUnit: t.lastsUnit,
    period: t.limit,
    maxVisitsPerPeriod: t.most,
  });
  const prefix = plan ? "changes." : "";
  const fault = (member: string) => problem?.faultAt(prefix + member);
  const leave = () => void go(addressOfPart("plans"), { isSaved: true });

  const save = async () => {
    const content = contentOf(draft, currency);
    setAmountFault(content === undefined);
    setRefused(undefined);
    if (!content) return;
    if (!plan) {
      if (await adding.run(content, { said: t.added(content.name) })) leave();
      return;
    }
    const changes = planChanges(stored, draft, currency);
    if (concernsContracts(stored, draft)) {
      try {
        const would = await dryRun("editPlan", { planId: plan.id, changes, applyTo: "all" });
        if (would.changes.contracts > 0) {
          setAsked({ changes, contracts: would.changes.contracts });
          return;
        }
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        setRefused(error);
        return;
      }
    }
    if (await editing.run({ planId: plan.id, changes }, { said: t.saved(content.name) })) leave();
  };

  const shown = [
    "name",
    "priceCents",
    "billingInterval",
    "durationCount",
    "locationIds",
    "terms",
    ...draft.grants.flatMap((_, place) =>
      ["", ".creditQuantity", ".maxVisitsPerPeriod", ".period", ".serviceTypeId", ".serviceGroupId"].map(
        (member) => `entitlements[${place}]${member}`,
      ),
    ),
  ].map((member) => prefix + member);
  const entitlements = draft.grants.map(grantOf);
  const content = contentOf(draft, currency);

  return (
    <Page
      title={plan ? t.editPlan : t.addPlan}
      subtitle={
        <a class="back-link" href={addressOfPart("plans")}>
          <Icon name="left" size={16} /> {t.plans}
        </a>
      }
    >
      <form
        class="plan-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="stack">
          {isGone ? <GoneNotice /> : <ProblemNotice problem={problem} shown={shown} />}
          {!editing.isBusy && (
            <ContestedNotice
              parts={contested({
                name: [t.planName, stored.name],
                amount: [t.amount(currency), stored.amount],
                billingKind: [t.billing, stored.billingKind === "recurring" ? t.recurring : t.oneTime],
                billingInterval: [t.interval, t.intervals[stored.billingInterval]],
                isFixed: [t.lasts, stored.isFixed ? t.lastsFixed : t.lastsOpen],
                durationCount: [t.lastsNumber, stored.durationCount],
                durationUnit: [t.lastsUnit, t.units[stored.durationUnit]],
                isTrial: [t.isTrial, stored.isTrial ? t.isTrial : ""],
                allLocations: [t.soldAt, stored.allLocations ? t.allLocations : t.someLocations],
                locationIds: [
                  t.locations,
                  listOf(
                    locations.filter(({ id }) => stored.locationIds.includes(id)).map(({ name }) => name),
                  ),
                ],
                terms: [t.terms, stored.terms],
                grants: [
                  t.whatItCovers,
                  names ? listOf(stored.grants.map((grant) => grantInWords(grantOf(grant), names))) : "",
                ],
              })}
            />
          )}
          <div class="card stack">
            <TextField
              label={t.planName}
              hint={t.planNameHint}
              value={draft.name}
              onInput={(name) => change({ name })}
              fault={fault("name")}
              isRequired
              hasFocus={!plan}
            />
            <ChoiceField
              label={t.billing}
              value={draft.billingKind}
              choices={[
                { value: "recurring", label: t.recurring, hint: t.recurringHint },
                { value: "one_time", label: t.oneTime, hint: t.oneTimeHint },
              ]}
              onChoose={(billingKind) => change({ billingKind })}
            />
            <div class="columns">
              <TextField
                label={t.amount(currency)}
                value={draft.amount}
                inputMode="decimal"
                onInput={(amount) => change({ amount })}
                fault={
                  hasAmountFault
                    ? t.amountFault(amountText(28_900, currency, language.value))
                    : fault("priceCents")
                }
                isRequired
              />
              {draft.billingKind === "recurring" && (
                <SelectField
                  label={t.interval}
                  value={draft.billingInterval}
                  choices={(["week", "month", "quarter", "year"] as const).map((value) => ({
                    value,
                    label: t.intervals[value],
                  }))}
                  onChoose={(billingInterval) => change({ billingInterval })}
                  fault={fault("billingInterval")}
                />
              )}
            </div>
            <ChoiceField
              label={t.lasts}
              value={draft.isFixed ? "fixed" : "open"}
              choices={[
                { value: "open", label: t.lastsOpen },
                { value: "fixed", label: t.lastsFixed },
              ]}
              onChoose={(choice) => change({ isFixed: choice === "fixed" })}
            />
            {draft.isFixed && (
              <div class="columns">
                <TextField
                  label={t.lastsNumber}
                  type="number"
                  min={1}
                  value={draft.durationCount}
                  onInput={(durationCount) => change({ durationCount })}
                  fault={fault("durationCount")}
                />
                <SelectField
                  label={t.lastsUnit}
                  value={draft.durationUnit}
                  choices={(["day", "week", "month", "year"] as const).map((value) => ({
                    value,
                    label: t.units[value],
                  }))}
                  onChoose={(durationUnit) => change({ durationUnit })}
                />
              </div>
            )}
            <CheckField
              label={t.isTrial}
              hint={t.isTrialHint}
              isChecked={draft.isTrial}
              onChange={(isTrial) => change({ isTrial })}
            />
          </div>

          <section class="card stack">
            <h2>{t.whatItCovers}</h2>
            {draft.grants.map((grant, place) => (
              <GrantFields
                key={grant.key}
                number={place + 1}
                grant={grant}
                fault={(member) => fault(`entitlements[${place}]${member && `.${member}`}`)}
                onChange={(changed) =>
                  change({ grants: draft.grants.map((other) => (other.key === grant.key ? changed : other)) })
                }
                onRemove={
                  draft.grants.length > 1
                    ? () => change({ grants: draft.grants.filter(({ key }) => key !== grant.key) })
                    : undefined
                }
              />
            ))}
            <div>
              <Button
                icon="plus"
                onClick={() =>
                  change({
                    grants: [
                      ...draft.grants,
                      newGrant(Math.max(-1, ...draft.grants.map(({ key }) => key)) + 1),
                    ],
                  })
                }
              >
                {t.addGrant}
              </Button>
            </div>
          </section>

          <div class="card stack">
            {(locations.length > 1 || !draft.allLocations) && (
              <>
                <ChoiceField
                  label={t.soldAt}
                  value={draft.allLocations ? "all" : "some"}
                  choices={[
                    { value: "all", label: t.allLocations },
                    { value: "some", label: t.someLocations },
                  ]}
                  onChoose={(choice) => change({ allLocations: choice === "all" })}
                />
                {!draft.allLocations && (
                  <ChecksField
                    label={t.locations}
                    values={draft.locationIds}
                    fault={fault("locationIds")}
                    choices={byName(
                      locations.filter(
                        ({ id, status }) => status === "active" || draft.locationIds.includes(id),
                      ),
                    ).map(({ id, name }) => ({ value: id, label: name }))}
                    onChange={(locationIds) => change({ locationIds })}
                  />
                )}
              </>
            )}
            <TextArea
              label={t.terms}
              hint={t.termsHint}
              rows={5}
              value={draft.terms}
              onInput={(terms) => change({ terms })}
              fault={fault("terms")}
            />
          </div>
        </div>

        <aside class="plan-words card stack" aria-label={t.inWords}>
          <h2>{draft.name.trim() === "" ? t.inWords : draft.name}</h2>
          {content && <p>{priceInWords({ ...content, currency })}</p>}
          {names && <Grants plan={{ entitlements }} names={names} />}
          {content && <p class="soft">{durationInWords(content)}</p>}
          <Actions>
            <Button kind="main" isSubmit isBusy={adding.isBusy || editing.isBusy} isDisabled={isGone}>
              {t.savePlan}
            </Button>
          </Actions>
        </aside>
      </form>
      <LeaveGuard isChanged={isChanged && !isGone} />
      {plan && asked && (
        <FollowDialog
          name={draft.name.trim()}
          contracts={asked.contracts}
          isBusy={editing.isBusy}
          problem={editing.problem}
          onClose={() => setAsked(undefined)}
          onChoose={async (applyTo, said) => {
            const done = await editing.run({ planId: plan.id, changes: asked.changes, applyTo }, { said });
            if (done) leave();
          }}
        />
      )}
    </Page>
  );
}

/** Asks whether contracts that run follow a change, with their number. */
function FollowDialog({
  name,
  contracts,
  isBusy,
  problem,
  onChoose,
  onClose,
}: {
  readonly name: string;
  readonly contracts: number;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  readonly onChoose: (applyTo: "new" | "all", said: string) => void;
  readonly onClose: () => void;
}) {
  const t = words();
  const [applyTo, setApplyTo] = useState<"new" | "all">("new");
  const number = count(contracts);
  const isOne = plural(contracts, "one", "other") === "one";
  return (
    <FormDialog
      title={t.followTitle}
      isBusy={isBusy}
      problem={problem}
      shown={[]}
      save={t.savePlan}
      onSubmit={() => onChoose(applyTo, applyTo === "all" ? t.followedAll(name, number) : t.saved(name))}
      onClose={onClose}
    >
      <p>{t.followText(number, isOne)}</p>
      <ChoiceField
        label={t.followTitle}
        value={applyTo}
        choices={[
          { value: "new", label: t.followNew, hint: t.followNewHint },
          { value: "all", label: t.followAll(number, isOne), hint: t.followAllHint },
        ]}
        onChoose={setApplyTo}
      />
    </FormDialog>
  );
}
