import { daysBefore, daysBetween } from "../../core/dates.ts";
import { completeCpf } from "../../domain/clients/cpf.ts";
import { type Client, exampleClient } from "../../domain/clients/schema.ts";
import type { Catalog } from "./catalog.ts";
import type { Chance } from "./chance.ts";
import { instantOn, latest } from "./days.ts";
import {
  CITIES,
  type City,
  DOUBLE_NAMES,
  FAMILY_NAMES,
  FIRST_NAMES,
  FOREIGN_FAMILY_NAMES,
  FOREIGN_FIRST_NAMES,
  NOTES,
  STREETS,
} from "./names.ts";

export type DemoClient = Client & { locationIds: string[] };

const CLIENT_COUNT = 500;
/** How long ago the first drawn one signed up. */
const OLDEST_DAYS = 1_095;
/** How long ago the client of the published examples did: before everyone else. */
export const FIRST_DAYS = 1_098;

/** The members, oldest first: names, documents and numbers are drawn, and belong together by chance alone. */
export function demoClients(chance: Chance, today: string, { locations }: Catalog): DemoClient[] {
  // More of them lately: a studio that grows.
  const signups = Array.from({ length: CLIENT_COUNT - 1 }, () => {
    const daysAgo = Math.max(1, Math.round(OLDEST_DAYS * (1 - Math.sqrt(chance.fraction()))));
    return instantOn(chance, daysBefore(today, daysAgo));
  }).sort();
  const documents = new Set([exampleClient.idDocument.value]);

  const drawn = signups.map((createdAt): DemoClient => {
    const open = locations.filter((location) => location.createdAt < createdAt);
    const home = chance.pick(open.length > 0 ? open : locations.slice(0, 1));
    const second = chance.odds(0.12) ? chance.pick(locations) : home;
    const isForeign = chance.odds(0.07);
    const contactName = isForeign ? drawForeignName(chance) : drawName(chance);
    const city = CITIES[home.timezone] ?? [];
    const idDocument = drawDocument(chance, isForeign, documents);
    const isArchived = daysBetween(createdAt.slice(0, 10), today) > 60 && chance.odds(0.09);
    const changedDaysAgo = chance.between(1, Math.max(1, daysBetween(createdAt.slice(0, 10), today) - 1));
    const changedAt = instantOn(chance, daysBefore(today, changedDaysAgo));
    return {
      id: chance.id(Date.parse(createdAt)),
      contactName,
      ...(chance.odds(0.88) && { contactEmail: drawEmail(chance, contactName) }),
      ...(chance.odds(0.9) && { contactPhone: drawPhone(chance, home.timezone) }),
      ...(chance.odds(0.75) && { birthdate: drawBirthdate(chance, today) }),
      address: city.length > 0 && chance.odds(0.6) ? drawAddress(chance, chance.pick(city)) : {},
      ...(idDocument && { idDocument }),
      locationIds: [...new Set([home.id, second.id])].sort(),
      ...(chance.odds(0.15) && { notes: chance.pick(NOTES) }),
      status: isArchived ? "archived" : "active",
      createdAt,
      updatedAt: isArchived || chance.odds(0.3) ? latest(createdAt, changedAt) : createdAt,
    };
  });
  return [firstClient(today), ...drawn];
}

/** The client of the published examples. */
function firstClient(today: string): DemoClient {
  const createdAt = `${daysBefore(today, FIRST_DAYS)}T13:20:00.000Z`;
  return { ...exampleClient, locationIds: [...exampleClient.locationIds], createdAt, updatedAt: createdAt };
}

function drawName(chance: Chance): string {
  const names = [chance.pick(chance.odds(0.15) ? DOUBLE_NAMES : FIRST_NAMES)];
  for (let i = chance.odds(0.55) ? 2 : 1; i > 0; i--) names.push(chance.pick(FAMILY_NAMES));
  return [...new Set(names)].join(" ");
}

function drawForeignName(chance: Chance): string {
  return `${chance.pick(FOREIGN_FIRST_NAMES)} ${chance.pick(FOREIGN_FAMILY_NAMES)}`;
}

/** Domains that are set apart for examples, so that no message ever reaches anyone. */
function drawEmail(chance: Chance, name: string): string {
  const words = name
    .normalize("NFD")
    .replace(/[^\p{ASCII}]/gu, "")
    .toLowerCase()
    .match(/[a-z]+/g);
  const local = [words?.at(0), words?.at(-1)].filter((word) => word !== undefined).join(".") || "contato";
  const number = chance.odds(0.5) ? chance.between(2, 98) : "";
  return `${local}${number}@${chance.pick(["example.com", "example.net", "example.org"])}`;
}

function drawPhone(chance: Chance, timezone: string): string {
  const area = timezone === "America/Manaus" ? "92" : chance.pick(["11", "11", "11", "13", "19"]);
  const [head, tail] = [`90${chance.digits(3)}`, chance.digits(4)];
  return chance.weighted([
    [`+55 ${area} ${head}-${tail}`, 6],
    [`(${area}) ${head}-${tail}`, 3],
    [`${area}${head}${tail}`, 1],
  ]);
}

function drawBirthdate(chance: Chance, today: string): string {
  return daysBefore(today, chance.between(16 * 365, 78 * 365));
}

function drawAddress(chance: Chance, city: City): DemoClient["address"] {
  const { name, state, postalPrefix } = city;
  if (chance.odds(0.2)) return { city: name, state };
  return {
    city: name,
    country: "BR",
    line1: `${chance.pick(STREETS)} ${chance.between(3, 1_980)}`,
    ...(chance.odds(0.4) && { line2: `Apto ${chance.between(1, 24)}${chance.between(1, 4)}` }),
    postalCode: `${postalPrefix}${chance.digits(2)}-${chance.digits(3)}`,
    state,
  };
}

function drawDocument(
  chance: Chance,
  isForeign: boolean,
  taken: Set<string>,
): DemoClient["idDocument"] | undefined {
  if (chance.odds(0.1)) return undefined;
  for (;;) {
    const value = isForeign ? drawForeignDocument(chance) : completeCpf(chance.digits(9));
    if (value === undefined || taken.has(value)) continue;
    taken.add(value);
    return { type: isForeign ? "other" : "cpf", value };
  }
}

function drawForeignDocument(chance: Chance): string {
  const letters = chance.pick(["AB", "CX", "FN", "GH", "XD", "YT"]);
  return chance.weighted([
    [`${letters}${chance.digits(6)}`, 5],
    [`RNM ${letters[0]}${chance.digits(6)}-${chance.between(0, 9)}`, 3],
    [`${chance.digits(8)}-${letters[1]}`, 2],
  ]);
}
