import { operator } from "../audit/queries.ts";
import { settleOverdue } from "../contracts/settling.ts";
import { type Command, textFlag } from "./command.ts";
import { readId } from "./flag-values.ts";

export const contractCommands: readonly Command[] = [
  {
    name: "contracts settle",
    summary: "end the contracts that were imported as running although their last day had passed",
    flags: { org: { value: "ID", help: "the organization", needed: true } },
    run: async (call) => {
      const organizationId = readId(textFlag(call, "org") ?? "", "--org");
      const db = (await call.store()).open({ applicationName: "rollbook contracts" });
      const settled = await settleOverdue(db, operator(), organizationId);
      const { contracts } = settled;
      call.out.result(
        settled,
        contracts === 1 ? "1 contract was ended." : `${contracts} contracts were ended.`,
      );
    },
  },
];
