/** One line of standard error that is written over and over; on anything but a terminal, nothing. */
export class ProgressLine {
  readonly #isShown: boolean;
  readonly #unit: string;
  readonly #startedMs = performance.now();
  #drawnMs = 0;

  /** `unit` is what is counted. */
  constructor(isShown: boolean, unit = "records") {
    this.#unit = unit;
    this.#isShown = isShown && process.stderr.isTTY === true;
  }

  /** `share` is how much is done, from 0 to 1, if that is known. */
  show(what: string, records: number, share?: number): void {
    const nowMs = performance.now();
    if (!this.#isShown || nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    const rate = Math.round(records / Math.max((nowMs - this.#startedMs) / 1000, 0.001));
    const bar = share === undefined ? "" : `${drawBar(share)} `;
    this.#write(`${what} ${bar}${number(records)} ${this.#unit}, ${number(rate)}/s`);
  }

  /** Shown at once: what follows may take a while in which nothing is counted. */
  say(what: string, records: number): void {
    if (this.#isShown) this.#write(`${what} ${number(records)} ${this.#unit}`);
  }

  clear(): void {
    if (this.#isShown) this.#write("");
  }

  #write(text: string): void {
    process.stderr.write(`\r\x1b[2K${text.slice(0, Math.max((process.stderr.columns ?? 80) - 1, 10))}`);
  }
}

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

function drawBar(share: number): string {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * BAR_WIDTH);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}] ${percent} %`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
