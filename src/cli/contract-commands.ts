import { operator } from "../domain/audit/queries.ts";
import { endOverdueContracts } from "../domain/due-changes/due-changes.ts";
import type { Command } from "./command.ts";
import { ORGANIZATION, readOrganization } from "./flag-values.ts";
import { showCommitted } from "./shown-once.ts";

export const contractCommands: readonly Command[] = [
  {
    name: "contracts settle",
    summary: "end the contracts that were imported as running although their last day had passed",
    flags: { org: ORGANIZATION },
    run: async (call) => {
      const organizationId = readOrganization(call);
      const db = (await call.store()).open({ applicationName: "rollbook contracts" });
      const settled = await endOverdueContracts(db, operator(), organizationId);
      const { contracts } = settled;
      await showCommitted(call.out, () =>
        call.out.result(
          settled,
          contracts === 1 ? "1 contract was ended." : `${contracts} contracts were ended.`,
        ),
      );
    },
  },
];
