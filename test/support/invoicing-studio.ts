import assert from "node:assert/strict";
import { daysBefore } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { ZONE } from "./booking-studio.ts";
import type { TestConsole } from "./console.ts";

/** A studio that invoices since three weeks ago, for tests that look at it in a browser. */

export const TODAY = dateIn(ZONE, Date.now());
/** What its monthly plan costs. */
export const MONTHLY = 28_900;

export async function newInvoicingStudio(console: TestConsole) {
  const { id } = await console.api.newOrganization({ name: "Estúdio Aurora", timezone: ZONE });
  const staff = await console.newStaff(id);
  const done = async (operation: string, input: object) => {
    const { status, body } = await staff.write(operation, input);
    assert.equal(status, 200, `${operation}: ${JSON.stringify(body)}`);
    return body.result;
  };
  const read = async (path: string) => {
    const { status, body } = await staff.read(path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body;
  };
  await done("editSettings", { changes: { invoicesFrom: daysBefore(TODAY, 21) } });
  const { id: locationId } = await done("addLocation", { name: "Centro", timezone: ZONE });
  const entitlements = [{ type: "access" }];
  const { id: planId } = await done("addPlan", {
    ...{ name: "Mensal", billingKind: "recurring", billingInterval: "month" },
    ...{ priceCents: MONTHLY, entitlements },
  });
  return {
    id,
    done,
    read,
    planId: planId as string,
    async newClient(contactName: string, contact: object = {}) {
      const { id: clientId } = await done("addClient", {
        contactName,
        locationIds: [locationId],
        ...contact,
      });
      return clientId as string;
    },
    /** Sells the monthly plan, from some days ago on: its first invoice was due then. */
    async sell(clientId: string, daysAgo = 0, sale: object = {}) {
      const startDate = daysBefore(TODAY, daysAgo);
      const { id: contractId } = await done("sellContract", { clientId, planId, startDate, ...sale });
      return contractId as string;
    },
    account: (clientId: string) => read(`clients/${clientId}/account`),
  };
}
