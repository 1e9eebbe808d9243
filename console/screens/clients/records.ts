import type { Answer } from "../../api/reads.ts";

export type Client = Answer<"/app/v1/clients/{id}">;
export type ClientContracts = Answer<"/app/v1/clients/{id}/contracts">;
export type ListedContract = ClientContracts["data"][number];

export type FixedPlace = Answer<"/app/v1/clients/{id}/fixed-places">["data"][number];

export const addressOfClient = (id: string, part?: string) =>
  part === undefined ? `/console/clients/${id}` : `/console/clients/${id}/${part}`;

/** Whether a contract is neither cancelled nor expired. */
export function isRunning({ status }: ListedContract): boolean {
  return status === "active" || status === "paused";
}

/** Full years between two dates. */
export function yearsBetween(birthdate: string, today: string): number {
  const years = Number(today.slice(0, 4)) - Number(birthdate.slice(0, 4));
  return today.slice(5) < birthdate.slice(5) ? years - 1 : years;
}

/** A document as people read it: `529.982.247-25`. */
export function documentText({ type, value }: NonNullable<Client["idDocument"]>): string {
  return type === "cpf" ? value.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4") : value;
}

/** Lines of an address, in the order in which they stand on an envelope. */
export function addressLines({
  line1,
  line2,
  city,
  state,
  postalCode,
  country,
}: Client["address"]): string[] {
  const place = [postalCode, [city, state].filter(Boolean).join(", ")].filter(Boolean).join(" ");
  return [line1, line2, place, country].filter((line): line is string => line !== undefined && line !== "");
}
