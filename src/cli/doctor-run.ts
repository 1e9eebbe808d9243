import { AppError } from "../core/errors.ts";
import { examine, type Finding } from "../process/examination.ts";
import { type CommandCall, textFlag } from "./command.ts";

const MARKS: Record<Finding["state"], string> = { good: "ok", warning: "note", wrong: "WRONG" };

/** Looks at everything an installation needs, changes nothing, and fails if something is wrong. */
export async function doctor(call: CommandCall): Promise<void> {
  const findings = await examine(call.config, textFlag(call, "backups"));
  const wrong = findings.filter(({ state }) => state === "wrong").length;
  call.out.result(
    { data: findings, total: findings.length, wrong },
    findings
      .map(({ state, about, sentence }) => `${MARKS[state].padEnd(6)} ${about}: ${sentence}`)
      .join("\n"),
  );
  if (wrong > 0)
    throw new AppError("unavailable", wrong === 1 ? "1 thing is wrong." : `${wrong} things are wrong.`);
}
