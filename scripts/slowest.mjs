// A reporter of node --test: the files that took longest, when all are done.
const SHOWN = 12;

/** Each file is a suite of its own name (test/support/files.ts). */
export default async function* slowest(events) {
  const times = [];
  for await (const { type, data } of events) {
    const isEnd = type === "test:pass" || type === "test:fail";
    if (isEnd && data.nesting === 0 && data.name.endsWith(".test.js"))
      times.push([data.details.duration_ms, data.name]);
  }
  if (times.length <= SHOWN) return;
  yield "\nThe slowest files, in seconds:\n";
  for (const [ms, name] of times.sort(([a], [b]) => b - a).slice(0, SHOWN))
    yield `${(ms / 1000).toFixed(1).padStart(6)} ${name}\n`;
}
