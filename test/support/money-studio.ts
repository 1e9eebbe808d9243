import assert from "node:assert/strict";
import { after } from "node:test";
import type { Role } from "../../src/core/actor.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import { type Answer, openApi, startApi, type TestApi } from "./api.ts";
import { addSession } from "./calendar.ts";
import { newId } from "./ids.ts";
import { findMoneyDeviations } from "./money-deviations.ts";
import { newStaff, type TestStaff } from "./staff.ts";

/** Studios that invoice, at any instant that a test names. */

/** Servers on one database, each at whose clock it is another time. */
export interface MoneyClock {
  readonly api: TestApi;
  /** A server at whose clock it was this instant a moment ago. */
  at(instant: string): Promise<TestApi>;
}

/** Each has connections of its own, so that few are open at once. */
const MOST_SERVERS = 3;

export async function startMoneyClock(): Promise<MoneyClock> {
  const api = await startApi();
  const servers = new Map<string, Awaited<ReturnType<typeof openApi>>>();
  after(async () => {
    for (const server of servers.values()) await server.close();
  });
  return {
    api,
    async at(instant) {
      const known = servers.get(instant);
      if (known) {
        // The one that was used last is closed last.
        servers.delete(instant);
        servers.set(instant, known);
        return known;
      }
      if (servers.size === MOST_SERVERS) {
        const [[oldest, server] = []] = servers;
        if (oldest !== undefined) servers.delete(oldest);
        await server?.close();
      }
      const opened = await openApi({ beside: api, clockOffsetMs: Date.parse(instant) - Date.now() });
      servers.set(instant, opened);
      return opened;
    },
  };
}

interface StudioSettings {
  /** The day of the studio's first instant unless given; null: none. */
  readonly invoicesFrom?: string | null;
  readonly paymentDays?: number;
}

/** An invoice as lists show it, as far as tests read it. */
interface ShownInvoice {
  readonly id: string;
  readonly number: number;
  readonly contractId?: string;
  readonly issuedOn: string;
  readonly paidCents: number;
  readonly status: string;
}

/** A studio that was made at an instant: what a test does without naming another happens then. */
export async function newStudioWithMoney(clock: MoneyClock, begun: string, settings: StudioSettings = {}) {
  const { api } = clock;
  const { id } = await (await clock.at(begun)).newOrganization();
  const owners = new Map<string, TestStaff>();

  const ownerAt = async (instant: string): Promise<TestStaff> => {
    const through = await clock.at(instant);
    // Signed in at that time; its server may be another one by now.
    const owner = owners.get(instant) ?? (await newStaff(through, id));
    owners.set(instant, owner);
    return {
      ...owner,
      write: (operation, body, options) => owner.write(operation, body, { ...options, through }),
      read: (path, options) => owner.read(path, { ...options, through }),
    };
  };
  const write = async (operation: string, input: object, instant = begun): Promise<Answer> =>
    (await ownerAt(instant)).write(operation, input);
  const done = async (operation: string, input: object, instant = begun) => {
    const { status, body, text } = await write(operation, input, instant);
    assert.equal(status, 200, `${operation}: ${text}`);
    return body.result;
  };
  const readStatus = async (path: string, instant = begun, accept = "application/json"): Promise<Answer> =>
    (await ownerAt(instant)).read(path, { headers: { accept } });
  const read = async (path: string, instant = begun) => {
    const { status, body, text } = await readStatus(path, instant);
    assert.equal(status, 200, `${path}: ${text}`);
    return body;
  };

  const { id: locationId } = await done("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
  const { id: serviceTypeId } = await done("addServiceType", { name: "Pilates", holdsResource: false });
  const plan = { name: "Mensal", priceCents: 28_900, entitlements: [{ type: "access" }] };
  const { id: planId } = await done("addPlan", {
    ...plan,
    billingKind: "recurring",
    billingInterval: "month",
  });
  const { id: packPlanId } = await done("addPlan", { ...plan, name: "Pacote", billingKind: "one_time" });
  const { invoicesFrom = begun.slice(0, 10), ...others } = settings;
  await done("editSettings", { changes: { invoicesFrom, ...others } });

  const newClient = async (instant = begun) => {
    const { id: clientId } = await done(
      "addClient",
      { contactName: "Ana", locationIds: [locationId] },
      instant,
    );
    return { clientId: clientId as string };
  };
  const invoices = async (clientId: string, instant = begun): Promise<readonly ShownInvoice[]> => {
    const { data } = await read(`invoices?clientId=${clientId}&limit=200`, instant);
    return data.reverse();
  };
  return {
    id,
    packPlanId: packPlanId as string,
    ownerAt,
    done,
    read,
    readStatus,
    newClient,
    invoices,
    /** The word of a refusal. */
    async refused(operation: string, input: object, instant = begun) {
      const { status, body } = await write(operation, input, instant);
      assert.notEqual(status, 200, `${operation} was not refused`);
      return { status, reason: body.reason as string | undefined };
    },
    /** Sells the monthly plan, to a new client unless one is named. */
    async sell(
      sale: { readonly clientId?: string; readonly [member: string]: unknown } = {},
      instant = begun,
    ) {
      const clientId = sale.clientId ?? (await newClient(instant)).clientId;
      const sold = await done("sellContract", { planId, ...sale, clientId }, instant);
      return { clientId, contractId: sold.id as string };
    },
    /** Brings a monthly contract in from elsewhere, with its client. */
    async importContract(contract: object) {
      const [clientId, contractId] = [newId(), newId()];
      const through = await clock.at(begun);
      const brought = [
        { kind: "client", id: clientId, contactName: "Bia", locationIds: [locationId] },
        {
          kind: "contract",
          id: contractId,
          clientId,
          planName: "Mensal",
          priceCents: 28_900,
          currency: "BRL",
          isTrial: false,
          billingKind: "recurring",
          billingInterval: "month",
          startDate: begun.slice(0, 10),
          status: "active",
          accessBlocked: false,
          allLocations: true,
          locationIds: [],
          entitlements: [],
          ...contract,
        },
      ];
      await importRecords(through.db, brought, { organizationId: id, actor: "test" });
      return { clientId, contractId };
    },
    session: (start: string) =>
      addSession(api.db, id, {
        ...{ locationId, serviceTypeId, timezone: "America/Sao_Paulo", start },
        bookedCount: 0,
      }),
    /** The days of a client's invoices. */
    days: async (clientId: string, instant = begun) =>
      (await invoices(clientId, instant)).map(({ issuedOn }) => issuedOn),
    /** What is paid of a client's invoices. */
    paid: async (clientId: string, instant = begun) =>
      (await invoices(clientId, instant)).map(({ paidCents, status }) => [paidCents, status]),
    account: (clientId: string, instant = begun) => read(`clients/${clientId}/account`, instant),
    async colleague(role: Role) {
      const staff = await newStaff(await clock.at(begun), id, { role });
      return {
        write: async (operation: string, input: object, instant = begun) =>
          staff.write(operation, input, { through: await clock.at(instant) }),
      };
    },
    deviations: () => findMoneyDeviations(api, id),
  };
}
