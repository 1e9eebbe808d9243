import { useRead, useWholeList } from "../api/reads.ts";
import { count, money } from "../languages/format.ts";
import { dictionary, plural } from "../languages/words.ts";

/** What a plan or a contract sold from it grants. */
export interface Grant {
  readonly type: "access" | "credits";
  readonly period?: "day" | "week" | "month" | undefined;
  readonly maxVisitsPerPeriod?: number | undefined;
  /** What a plan grants when it is sold. */
  readonly creditQuantity?: number | undefined;
  /** What a contract has left of it. */
  readonly remainingCredits?: number | undefined;
  readonly serviceTypeId?: string | undefined;
  readonly serviceGroupId?: string | undefined;
}

/** A grant of a contract, with the names of what it is for. */
interface NamedGrant extends Grant {
  readonly serviceTypeName?: string | undefined;
  readonly serviceGroupName?: string | undefined;
}

export interface Billing {
  readonly billingKind: "recurring" | "one_time";
  readonly billingInterval?: "week" | "month" | "quarter" | "year" | undefined;
  readonly priceCents: number;
  readonly currency: string;
}

export interface Duration {
  readonly durationCount?: number | undefined;
  readonly durationUnit?: "day" | "week" | "month" | "year" | undefined;
}

const words = dictionary(
  {
    everything: "All services",
    unknown: "A service that is gone",
    unlimited: "Unlimited visits",
    visits: (number: string, isOne: boolean) => `${number} ${isOne ? "visit" : "visits"}`,
    periods: { day: "a day", week: "a week", month: "a month" },
    credits: (number: string, isOne: boolean) => `${number} ${isOne ? "credit" : "credits"}`,
    left: (credits: string) => `${credits} left`,
    intervals: { week: "every week", month: "every month", quarter: "every quarter", year: "every year" },
    once: "once",
    free: "Free",
    open: "No fixed end",
    units: {
      day: ["day", "days"],
      week: ["week", "weeks"],
      month: ["month", "months"],
      year: ["year", "years"],
    },
  },
  {
    everything: "Todos os serviços",
    unknown: "Um serviço que não existe mais",
    unlimited: "Visitas ilimitadas",
    visits: (number: string, isOne: boolean) => `${number} ${isOne ? "visita" : "visitas"}`,
    periods: { day: "por dia", week: "por semana", month: "por mês" },
    credits: (number: string, isOne: boolean) => `${number} ${isOne ? "crédito" : "créditos"}`,
    left: (credits: string) => `Restam ${credits}`,
    intervals: { week: "por semana", month: "por mês", quarter: "por trimestre", year: "por ano" },
    once: "pagamento único",
    free: "Grátis",
    open: "Sem data de término",
    units: {
      day: ["dia", "dias"],
      week: ["semana", "semanas"],
      month: ["mês", "meses"],
      year: ["ano", "anos"],
    },
  },
  {
    everything: "Todos los servicios",
    unknown: "Un servicio que ya no existe",
    unlimited: "Visitas ilimitadas",
    visits: (number: string, isOne: boolean) => `${number} ${isOne ? "visita" : "visitas"}`,
    periods: { day: "al día", week: "por semana", month: "al mes" },
    credits: (number: string, isOne: boolean) => `${number} ${isOne ? "crédito" : "créditos"}`,
    left: (credits: string) => `Quedan ${credits}`,
    intervals: { week: "por semana", month: "al mes", quarter: "por trimestre", year: "al año" },
    once: "pago único",
    free: "Gratis",
    open: "Sin fecha de fin",
    units: {
      day: ["día", "días"],
      week: ["semana", "semanas"],
      month: ["mes", "meses"],
      year: ["año", "años"],
    },
  },
);

/** Names of what entitlements refer to. */
export interface CatalogNames {
  readonly serviceTypes: ReadonlyMap<string, string>;
  readonly serviceGroups: ReadonlyMap<string, string>;
  readonly locations: ReadonlyMap<string, string>;
}

/** The names of the catalog; `undefined` until they are known. */
export function useCatalogNames(): CatalogNames | undefined {
  const types = useWholeList("/app/v1/service-types").data;
  const groups = useRead("/app/v1/service-groups").data;
  const locations = useRead("/app/v1/locations").data;
  if (!types || !groups || !locations) return undefined;
  const named = (records: readonly { readonly id: string; readonly name: string }[]) =>
    new Map(records.map(({ id, name }) => [id, name]));
  return {
    serviceTypes: named(types.data),
    serviceGroups: named(groups.data),
    locations: named(locations.data),
  };
}

/** How much a grant allows: "2 visits a week", "10 credits", "3 credits left". */
export function amountInWords(grant: Grant): string {
  const t = words();
  if (grant.type === "access") {
    const { maxVisitsPerPeriod: most, period } = grant;
    if (most === undefined) return t.unlimited;
    const visits = t.visits(count(most), isOne(most));
    return period ? `${visits} ${t.periods[period]}` : visits;
  }
  const { remainingCredits, creditQuantity = 0 } = grant;
  if (remainingCredits !== undefined)
    return t.left(t.credits(count(remainingCredits), isOne(remainingCredits)));
  return t.credits(count(creditQuantity), isOne(creditQuantity));
}

/** What a grant is for: a service type, a group, or everything. */
export function scopeInWords({ serviceTypeId, serviceGroupId }: Grant, names: CatalogNames): string {
  const t = words();
  if (serviceTypeId !== undefined) return names.serviceTypes.get(serviceTypeId) ?? t.unknown;
  if (serviceGroupId !== undefined) return names.serviceGroups.get(serviceGroupId) ?? t.unknown;
  return t.everything;
}

/** The names that came with a grant of a contract. */
export function namesIn({
  serviceTypeId = "",
  serviceTypeName,
  serviceGroupId = "",
  serviceGroupName,
}: NamedGrant): CatalogNames {
  return {
    serviceTypes: new Map(serviceTypeName === undefined ? [] : [[serviceTypeId, serviceTypeName]]),
    serviceGroups: new Map(serviceGroupName === undefined ? [] : [[serviceGroupId, serviceGroupName]]),
    locations: new Map(),
  };
}

/** "2 visits a week · Pilates". */
export function grantInWords(grant: Grant, names: CatalogNames): string {
  return `${amountInWords(grant)} · ${scopeInWords(grant, names)}`;
}

/** "R$ 289.00 every month". */
export function priceInWords({ priceCents, currency, billingKind, billingInterval }: Billing): string {
  const t = words();
  if (priceCents === 0) return t.free;
  const how = billingKind === "recurring" && billingInterval ? t.intervals[billingInterval] : t.once;
  return `${money(priceCents, currency)} ${how}`;
}

/** "3 months", or that there is no end. */
export function durationInWords({ durationCount, durationUnit }: Duration): string {
  const t = words();
  if (durationCount === undefined || durationUnit === undefined) return t.open;
  const [one = "", many = ""] = t.units[durationUnit];
  return `${count(durationCount)} ${plural(durationCount, one, many)}`;
}

function isOne(number: number): boolean {
  return plural(number, "one", "other") === "one";
}
