import { daysBefore } from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { Location } from "../../domain/locations/schema.ts";
import type { Plan } from "../../domain/plans/schema.ts";
import type { ServiceType } from "../../domain/service-types/schema.ts";
import type { Chance } from "./chance.ts";
import { instantOn } from "./days.ts";

/** What the studio is and sells: locations, service types in groups, plans. */
export interface Catalog {
  readonly locations: readonly (Location & { createdAt: string })[];
  readonly serviceTypes: readonly ServiceType[];
  readonly serviceGroups: readonly { id: string; name: string; serviceTypeIds: string[] }[];
  readonly plans: readonly Plan[];
}

export const CURRENCY = "BRL";

/** The first location, service type and plan, and the group of all classes, are those of the published examples. */
export function demoCatalog(chance: Chance, today: string): Catalog {
  const locations = LOCATIONS.map(({ openedDaysAgo, ...location }, index) => {
    const createdAt = instantOn(chance, daysBefore(today, openedDaysAgo));
    const drawn = chance.id(Date.parse(createdAt));
    return { id: index === 0 ? EXAMPLE_IDS.location : drawn, ...location, createdAt };
  });
  const serviceTypes = SERVICE_TYPES.map(({ group, archived = false, ...type }, index): ServiceType => {
    const createdAt = instantOn(chance, daysBefore(today, 1_090 - 40 * index));
    const drawn = chance.id(Date.parse(createdAt));
    return {
      id: index === 0 ? EXAMPLE_IDS.serviceType : drawn,
      holdsResource: group === "Atendimentos individuais",
      ...type,
      status: archived ? "archived" : "active",
      createdAt,
      updatedAt: archived ? instantOn(chance, daysBefore(today, 75)) : createdAt,
    };
  });
  const idOfType = (name: string) => idOf(serviceTypes, name);

  const groups = [...new Set(SERVICE_TYPES.map(({ group }) => group))];
  const members = (belongs: (group: string) => boolean) =>
    SERVICE_TYPES.filter(({ group }) => belongs(group))
      .map(({ name }) => idOfType(name))
      .sort();
  const serviceGroups = [
    ...groups.map((name) => ({ name, serviceTypeIds: members((group) => group === name) })),
    // A type may be in several groups: this one is every class, without the appointments.
    { name: ALL_CLASSES, serviceTypeIds: members((group) => group !== "Atendimentos individuais") },
  ].map((group, index) => {
    const drawn = chance.id(Date.parse(instantOn(chance, daysBefore(today, 1_080 - index))));
    return { id: group.name === ALL_CLASSES ? EXAMPLE_IDS.serviceGroup : drawn, ...group };
  });
  serviceGroups.push({
    id: EXAMPLE_IDS.beginnersGroup,
    name: "Iniciantes",
    serviceTypeIds: [EXAMPLE_IDS.serviceType],
  });

  const plans = PLANS.map(({ archived = false, only, grants, terms, ...plan }, index): Plan => {
    const createdAt = instantOn(chance, daysBefore(today, 1_099 - 70 * index));
    const changedAt = instantOn(chance, daysBefore(today, archived ? 200 : 20 + index));
    const drawn = chance.id(Date.parse(createdAt));
    return {
      id: index === 0 ? EXAMPLE_IDS.plan : drawn,
      ...plan,
      status: archived ? "archived" : "active",
      currency: CURRENCY,
      allLocations: only === undefined,
      locationIds: (only ?? []).map((name) => idOf(locations, name)).sort(),
      ...(terms && { terms: TERMS }),
      entitlements: grants.map(({ forType, forGroup, ...grant }) => ({
        ...grant,
        ...(forType !== undefined && { serviceTypeId: idOfType(forType) }),
        ...(forGroup !== undefined && { serviceGroupId: idOf(serviceGroups, forGroup) }),
      })),
      createdAt,
      updatedAt: archived || index % 3 === 0 ? changedAt : createdAt,
    };
  });
  return { locations, serviceTypes, serviceGroups, plans };
}

export function idOf(records: readonly { id: string; name: string }[], name: string): string {
  const record = records.find((candidate) => candidate.name === name);
  if (!record) throw new Error(`the demo has nothing called ${name}`);
  return record.id;
}

export const VILA_MADALENA = "Vila Madalena";
export const MOEMA = "Moema";
export const MANAUS = "Manaus Adrianópolis";

const LOCATIONS = [
  {
    name: VILA_MADALENA,
    address: "Rua das Acácias 210, Vila Madalena, São Paulo",
    timezone: "America/Sao_Paulo",
    openedDaysAgo: 1_100,
  },
  {
    name: MOEMA,
    address: "Alameda dos Ipês 88, Moema, São Paulo",
    timezone: "America/Sao_Paulo",
    openedDaysAgo: 700,
  },
  {
    name: MANAUS,
    address: "Avenida das Castanheiras 45, Adrianópolis, Manaus",
    timezone: "America/Manaus",
    openedDaysAgo: 400,
  },
].map((location) => ({ ...location, status: "active" as const }));

interface TypeDraft {
  readonly name: string;
  readonly group: string;
  readonly description?: string;
  readonly archived?: boolean;
}

const SERVICE_TYPES: readonly TypeDraft[] = [
  { name: "Pilates solo", group: "Pilates", description: "Aula no colchonete, para todos os níveis." },
  { name: "Pilates aparelhos", group: "Pilates", description: "Turma pequena, com reformer e cadillac." },
  {
    name: "Pilates gestantes",
    group: "Pilates",
    description: "A partir da 12ª semana, com liberação médica.",
  },
  { name: "Hatha yoga", group: "Yoga", description: "Posturas, respiração e relaxamento." },
  {
    name: "Vinyasa yoga",
    group: "Yoga",
    description: "Sequências dinâmicas; recomendada a quem já pratica.",
  },
  { name: "Yoga restaurativa", group: "Yoga" },
  { name: "Treino funcional", group: "Movimento", description: "Circuito de força e mobilidade." },
  { name: "Dança contemporânea", group: "Movimento" },
  { name: "Alongamento", group: "Movimento", description: "Meia hora para soltar o corpo." },
  { name: "Ginástica localizada", group: "Movimento", archived: true },
  {
    name: "Avaliação física",
    group: "Atendimentos individuais",
    description: "Anamnese, medidas e plano de treino.",
  },
  {
    name: "Fisioterapia",
    group: "Atendimentos individuais",
    description: "Sessão individual de 50 minutos.",
  },
];

const ALL_CLASSES = "Todas as aulas";

export const TERMS = [
  "1. Agendamentos podem ser cancelados até 3 horas antes da aula.",
  "2. Créditos não usados até o fim da vigência expiram.",
  "3. O plano recorrente pode ser cancelado com 30 dias de aviso.",
].join("\n");

type PlanDraft = Pick<
  Plan,
  "name" | "billingKind" | "billingInterval" | "durationCount" | "durationUnit" | "priceCents" | "isTrial"
> & {
  readonly archived?: boolean;
  readonly terms?: boolean;
  /** Names of the locations that sell it, if not all do. */
  readonly only?: readonly string[];
  readonly grants: readonly (Pick<
    Plan["entitlements"][number],
    "type" | "period" | "maxVisitsPerPeriod" | "creditQuantity"
  > & { readonly forType?: string; readonly forGroup?: string })[];
};

const PLANS: readonly PlanDraft[] = [
  {
    name: "Mensal 2x por semana",
    billingKind: "recurring",
    billingInterval: "month",
    priceCents: 28_900,
    isTrial: false,
    terms: true,
    grants: [{ type: "access", period: "week", maxVisitsPerPeriod: 2, forGroup: ALL_CLASSES }],
  },
  {
    name: "Aula experimental",
    billingKind: "one_time",
    durationCount: 7,
    durationUnit: "day",
    priceCents: 3_500,
    isTrial: true,
    grants: [{ type: "credits", creditQuantity: 1 }],
  },
  {
    name: "Mensal livre",
    billingKind: "recurring",
    billingInterval: "month",
    priceCents: 42_900,
    isTrial: false,
    terms: true,
    grants: [
      { type: "access", forGroup: ALL_CLASSES },
      { type: "credits", creditQuantity: 1, forType: "Avaliação física" },
    ],
  },
  {
    name: "Pacote 10 aulas",
    billingKind: "one_time",
    durationCount: 3,
    durationUnit: "month",
    priceCents: 55_000,
    isTrial: false,
    terms: true,
    grants: [{ type: "credits", creditQuantity: 10, forGroup: ALL_CLASSES }],
  },
  {
    name: "Trimestral livre",
    billingKind: "recurring",
    billingInterval: "quarter",
    durationCount: 6,
    durationUnit: "month",
    priceCents: 115_500,
    isTrial: false,
    terms: true,
    grants: [{ type: "access" }],
  },
  {
    name: "Plano fundadores",
    archived: true,
    billingKind: "recurring",
    billingInterval: "month",
    priceCents: 19_900,
    isTrial: false,
    only: [VILA_MADALENA],
    grants: [{ type: "access", period: "month", maxVisitsPerPeriod: 12, forGroup: "Yoga" }],
  },
  {
    name: "Pacote fisioterapia 8 sessões",
    billingKind: "one_time",
    durationCount: 10,
    durationUnit: "week",
    priceCents: 112_000,
    isTrial: false,
    only: [VILA_MADALENA, MOEMA],
    grants: [{ type: "credits", creditQuantity: 8, forType: "Fisioterapia" }],
  },
  {
    name: "Anual livre",
    billingKind: "recurring",
    billingInterval: "year",
    durationCount: 1,
    durationUnit: "year",
    priceCents: 399_000,
    isTrial: false,
    terms: true,
    grants: [
      { type: "access", forGroup: "Yoga" },
      { type: "access", forGroup: "Movimento" },
      { type: "access", period: "month", maxVisitsPerPeriod: 12, forGroup: "Pilates" },
      { type: "credits", creditQuantity: 4, forType: "Avaliação física" },
    ],
  },
  {
    name: "Passe semanal Manaus",
    billingKind: "recurring",
    billingInterval: "week",
    priceCents: 7_900,
    isTrial: false,
    only: [MANAUS],
    grants: [{ type: "access", period: "day", maxVisitsPerPeriod: 1, forGroup: ALL_CLASSES }],
  },
  {
    name: "Semana de boas-vindas",
    billingKind: "one_time",
    durationCount: 1,
    durationUnit: "week",
    priceCents: 0,
    isTrial: true,
    only: [MOEMA, MANAUS],
    grants: [
      { type: "access", forType: "Hatha yoga" },
      { type: "access", forType: "Pilates solo" },
    ],
  },
];
