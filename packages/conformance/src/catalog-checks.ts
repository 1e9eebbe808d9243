import { type Check, demand, demandNone, needs } from "./check.ts";
import type { Json } from "./shapes.ts";

/** What holds of plans and contracts beyond their fields. */

function grantsOf(record: Json): readonly Json[] {
  return Array.isArray(record.entitlements) ? (record.entitlements as Json[]) : [];
}

/** Where a plan or contract is good. */
function faultsOfPlaces(record: Json, what: string): string[] {
  const places = record.locationIds as readonly unknown[];
  return record.allLocations === true && places.length > 0
    ? [`${what} is good at all locations and names ${places.length}`]
    : [];
}

export const catalogChecks: readonly Check[] = [
  {
    id: "plans.all-locations",
    title: "A plan that sells everywhere names no locations",
    source: "section 2",
    says: "allLocations: when true the plan sells at every location and locationIds is empty.",
    run: async (probe) => {
      const { data } = await probe.plans();
      needs(data.length > 0, "there are no plans");
      demandNone(data.flatMap((plan) => faultsOfPlaces(plan, "a plan")));
    },
  },
  {
    id: "plans.billing-interval",
    title: "Only recurring plans have a billing interval",
    source: "section 2",
    says: "billingInterval: how often it charges; present only for recurring plans.",
    run: async (probe) => {
      const { data } = await probe.plans();
      needs(data.length > 0, "there are no plans");
      const wrong = data.filter((plan) => plan.billingKind !== "recurring" && "billingInterval" in plan);
      demand(wrong.length === 0, `${wrong.length} plans that are not recurring have billingInterval`);
    },
  },
  {
    id: "plans.entitlements",
    title: "Grants of plans have the members of their type alone",
    source: "section 2",
    says: "maxVisitsPerPeriod: present only for a capped access grant; creditQuantity: present only for type = credits.",
    run: async (probe) => {
      const grants = (await probe.plans()).data.flatMap(grantsOf);
      needs(grants.length > 0, "no plan has entitlements");
      demandNone(
        grants.flatMap((grant) => [
          ...(grant.type !== "credits" && "creditQuantity" in grant
            ? [`${grant.type} has creditQuantity`]
            : []),
          ...(grant.type !== "access" && "maxVisitsPerPeriod" in grant
            ? [`${grant.type} has maxVisitsPerPeriod`]
            : []),
        ]),
      );
    },
  },
  {
    id: "plans.billing-kind",
    title: "billingKind selects among plans",
    source: "section 4",
    says: "billingKind (enum): filter.",
    run: async (probe) => {
      const { total } = await probe.plans();
      let sum = 0;
      for (const kind of ["recurring", "one_time"]) {
        const { data, total: some } = await probe.list(`/v1/plans?billingKind=${kind}&limit=20`);
        demand(
          data.every(({ billingKind }) => billingKind === kind),
          `billingKind=${kind} gives a plan of another kind`,
        );
        sum += some;
      }
      demand(sum === total, `the totals by kind add up to ${sum}, and the total of all is ${total}`);
    },
  },
  {
    id: "contracts.entitlements",
    title: "Entitlements of contracts are empty in lists and there in one contract",
    source: "section 4",
    says: "GET /v1/contracts: entitlements is empty in each. GET /v1/contracts/{id} returns one Contract including its entitlements.",
    run: async (probe) => {
      const { data } = await probe.contracts();
      needs(data.length > 0, "there are no contracts");
      demand(
        data.every((contract) => Array.isArray(contract.entitlements) && grantsOf(contract).length === 0),
        "a contract of the list has entitlements, or no array of them",
      );
      const ones = await Promise.all(data.slice(0, 10).map(({ id }) => probe.read(`/v1/contracts/${id}`)));
      const grants = ones.flatMap(grantsOf);
      needs(grants.length > 0, "none of ten contracts has entitlements");
      const wrong = grants.filter((grant) => grant.type !== "credits" && "remainingCredits" in grant);
      demand(wrong.length === 0, "an entitlement that is not of credits has remainingCredits");
    },
  },
  {
    id: "contracts.all-locations",
    title: "A contract that is good everywhere names no locations",
    source: "section 2",
    says: "allLocations: when true the contract is usable at every location and locationIds is empty.",
    run: async (probe) => {
      const { data } = await probe.contracts();
      needs(data.length > 0, "there are no contracts");
      demandNone(data.flatMap((contract) => faultsOfPlaces(contract, "a contract")));
    },
  },
  {
    id: "contracts.of-client",
    title: "clientId selects one client's contracts",
    source: "section 4",
    says: "clientId (uuid; one client's contracts).",
    run: async (probe) => {
      const [contract] = (await probe.contracts()).data;
      needs(contract !== undefined, "there are no contracts");
      const { data, total } = await probe.list(`/v1/contracts?clientId=${contract.clientId}&limit=200`);
      demand(
        data.every(({ clientId }) => clientId === contract.clientId),
        "clientId gives another client's contract",
      );
      demand(
        data.some(({ id }) => id === contract.id),
        "clientId does not give the client's contract",
      );
      demand(total === data.length, `total is ${total}, and there are ${data.length} contracts`);
    },
  },
  {
    id: "contracts.at-location",
    title: "locationId selects the contracts that are usable there",
    source: "section 4",
    says: "locationId (uuid; contracts usable at one location): all locations, or this one among them.",
    run: async (probe) => {
      const [place] = (await probe.locations()).data;
      const { data: all, total } = await probe.contracts();
      needs(place !== undefined && all.length > 0, "there are no contracts");
      const isUsable = (contract: Json) =>
        contract.allLocations === true || (contract.locationIds as readonly unknown[]).includes(place.id);
      const some = await probe.list(`/v1/contracts?locationId=${place.id}&limit=200`);
      demand(some.data.every(isUsable), "locationId gives a contract that is not usable there");
      if (total <= all.length)
        demand(
          some.total === all.filter(isUsable).length,
          `locationId gives ${some.total} contracts, and ${all.filter(isUsable).length} are usable there`,
        );
    },
  },
  {
    id: "contracts.terms",
    title: "What goes together in a contract is there together",
    source: "section 2",
    says: "termsResponse: absent while unanswered. cancelledAt and endDate are set when the contract is cancelled or has an end.",
    run: async (probe) => {
      const { data } = await probe.contracts();
      needs(data.length > 0, "there are no contracts");
      demandNone(
        data.flatMap((contract) => [
          ...("termsRespondedAt" in contract && !("termsResponse" in contract)
            ? ["termsRespondedAt is there without termsResponse"]
            : []),
          ...(typeof contract.endDate === "string" && contract.endDate < String(contract.startDate)
            ? ["endDate lies before startDate"]
            : []),
        ]),
      );
    },
  },
];
