/** Why standard output cannot be written, once it cannot. */
let outputError: NodeJS.ErrnoException | undefined;

/**
 * Keeps a failed write from ending the process on the spot: the command comes to its end, which leaves nothing behind,
 * and hears of the failure where it waits for a write.
 */
export function watchStandardOutput(): void {
  process.stdout.on("error", (error) => {
    outputError ??= error;
    process.exitCode ||= 1;
  });
  process.stderr.on("error", () => {
    process.exitCode ||= 1;
  });
}

/**
 * What is said of a standard output that cannot be written, or nothing if it can: "" if nobody reads it any more, as
 * after a pipe's reader has left or a terminal was closed.
 */
export function explainOutputError(): string | undefined {
  if (outputError === undefined) return undefined;
  const { code = "" } = outputError;
  if (code === "EPIPE" || code === "EIO") return "";
  const reason = code === "ENOSPC" || code === "EDQUOT" ? "its disk is full" : code;
  return `rollbook: Standard output cannot be written: ${reason}.\n`;
}
