import type { Database } from "../../db/database.ts";
import { openSnapshot } from "../calendar/queries.ts";
import * as queries from "./credit-queries.ts";
import { unknownContract } from "./rules.ts";
import type { CreditLine, CreditStatement } from "./schema.ts";

const MOST_LINES = 200;

/** Every change of the credits of a contract, with who did it: the newest first, each with the balance that it left. */
export async function readCreditStatement(
  db: Database,
  organizationId: string,
  contractId: string,
): Promise<CreditStatement> {
  // One snapshot: a visit that is booked meanwhile must not be missing from a balance that counts it.
  return db.transaction(async (tx) => {
    await openSnapshot(tx, organizationId);
    const [contract, balances, visits, adjustments] = await Promise.all([
      queries.findCreditContract(tx, organizationId, contractId),
      queries.listCreditBalances(tx, organizationId, contractId),
      queries.listDrawnVisits(tx, organizationId, contractId, MOST_LINES),
      queries.listCreditAdjustments(tx, organizationId, contractId, MOST_LINES),
    ]);
    if (!contract) throw unknownContract();
    return toStatement(contract, balances, visits, adjustments);
  });
}

type UnbalancedLine = Omit<CreditLine, "balance">;

function toStatement(
  { createdAt, ...seller }: queries.CreditContract,
  balances: readonly queries.CreditBalance[],
  visits: readonly queries.DrawnVisit[],
  adjustments: readonly queries.CreditAdjustment[],
): CreditStatement {
  const events = [
    ...visits.flatMap(linesOf),
    ...adjustments.map((line): UnbalancedLine => ({ ...line, event: "adjusted" })),
  ].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const begun = balances.map(({ entitlementId, granted }): UnbalancedLine => {
    return { entitlementId, at: createdAt, event: "granted", credits: granted, ...seller };
  });
  // What was granted came before anything else, also where imported visits are older than the contract.
  const left = new Map(
    balances.map(({ entitlementId, remainingCredits }) => [entitlementId, remainingCredits]),
  );
  const total = balances.reduce((sum, balance) => sum + 1 + balance.events, 0);
  const shown = events.length >= total - begun.length ? [...events, ...begun] : events;
  const data = shown.slice(0, MOST_LINES).map((line): CreditLine => {
    const balance = left.get(line.entitlementId) ?? 0;
    left.set(line.entitlementId, balance - line.credits);
    return { ...line, balance };
  });
  return { data, total };
}

/** A visit that was cancelled has two lines. */
function linesOf(visit: queries.DrawnVisit): UnbalancedLine[] {
  const { entitlementId, sessionId, serviceTypeName, localStart } = visit;
  const session = { entitlementId, sessionId, serviceTypeName, localStart };
  const used: UnbalancedLine = {
    ...session,
    at: visit.usedAt,
    event: "used",
    credits: -1,
    ...visit.usedBy,
  };
  if (visit.endedAt === undefined) return [used];
  const ended = visit.isReturned
    ? ({ event: "returned", credits: 1 } as const)
    : ({ event: "kept", credits: 0 } as const);
  // The later one first, also if both were in one instant.
  return [{ ...session, at: visit.endedAt, ...ended, ...visit.endedBy }, used];
}
