import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useRead } from "../api/reads.ts";
import { useMay, useMe } from "../frame/me.ts";

/** The way of a new organization, in this order. */
export const STEPS = ["location", "service", "class", "people", "money"] as const;
export type Step = (typeof STEPS)[number];

/** An organization that does not invoice lacks nothing: its owners are not led through the steps for that. */
const NEEDED = STEPS.filter((step) => step !== "money");

/** What a browser keeps of somebody's way through the first steps of an organization. */
interface Memory {
  readonly skipped: readonly Step[];
  /** They were shown: the last page of them is, too. */
  readonly isBegun: boolean;
  /** They are not shown again. */
  readonly isOver: boolean;
}

const NOTHING: Memory = { skipped: [], isBegun: false, isOver: false };
const memories = signal<Readonly<Record<string, Memory>>>({});

/** Whether the first steps are shown: to owners, until the organization has what it needs or they want no more of it. */
export function useNeedsFirstSteps(): boolean {
  const isOwner = useMay("owner");
  const { organization } = useMe();
  const { isOver, isBegun, skipped } = recall(organization.id);
  const isAsked = isOwner && !isOver;
  const progress = useProgress(isAsked);
  const isComplete = progress && NEEDED.every((step) => progress[step] || skipped.includes(step));
  // Nobody has to ask again for an organization that was there before.
  useEffect(() => {
    if (isAsked && isComplete && !isBegun) remember(organization.id, { isOver: true });
  }, [isAsked, isComplete, isBegun, organization.id]);
  return isAsked && progress !== undefined && (isBegun || !isComplete);
}

/** Which steps are done, as the data says; undefined until that is known. */
export function useProgress(isAsked = true): Readonly<Record<Step, boolean>> | undefined {
  const locations = useRead(isAsked ? "/app/v1/locations" : undefined).data;
  const services = useRead(isAsked ? "/app/v1/service-types" : undefined, {
    query: { limit: 1, status: "active" },
  }).data;
  const schedules = useRead(isAsked ? "/app/v1/schedules" : undefined, { query: { limit: 1 } }).data;
  const clients = useRead(isAsked ? "/app/v1/clients" : undefined, { query: { limit: 1 } }).data;
  const settings = useRead(isAsked ? "/app/v1/settings" : undefined).data;
  if (!locations || !services || !schedules || !clients || !settings) return undefined;
  return {
    location: locations.data.some(({ status }) => status === "active"),
    service: services.total > 0,
    class: schedules.total > 0,
    people: clients.total > 0,
    money: settings.invoicesFrom !== undefined,
  };
}

/** What is remembered of an organization's first steps. */
export function recall(organizationId: string): Memory {
  return memories.value[organizationId] ?? stored(organizationId);
}

export function remember(organizationId: string, changes: Partial<Memory>): void {
  const memory = { ...recall(organizationId), ...changes };
  memories.value = { ...memories.value, [organizationId]: memory };
  try {
    localStorage.setItem(keyOf(organizationId), JSON.stringify(memory));
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

function stored(organizationId: string): Memory {
  try {
    const text = localStorage.getItem(keyOf(organizationId));
    return text === null ? NOTHING : { ...NOTHING, ...(JSON.parse(text) as Partial<Memory>) };
  } catch {
    return NOTHING;
  }
}

function keyOf(organizationId: string): string {
  return `rollbook-first-steps ${organizationId}`;
}
