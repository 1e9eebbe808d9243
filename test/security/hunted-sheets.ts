import type { HuntedRequest } from "./loop-holds.ts";

/** The sheets that make most work; what else a file can be is in test/spreadsheet/limits.test.ts. */
export function sheetRequests(rows: number, locationId: string): HuntedRequest[] {
  const cell = `"${lines(300_000, (place) => `u${place}`, ";")}"`;
  const people = `Nome,E-mail,Telefone\n${lines(rows, (n) => `Ana Maria ${n},${n}@example.com,+55 11 9${1e7 + n}`)}\n`;
  const named = (n: number) => lines(100, (place) => `u${n * 100 + place}`, ";");
  const sheets: readonly (readonly [operation: string, input: string, file: string, beside: object])[] = [
    ["readSheet", "a cell of 300,000 names", `Nome,Unidade\nAna,${cell}\n`, {}],
    ["readSheet", "8 such rows", `Nome,Unidade\n${lines(8, (n) => `Ana ${n},${cell}`)}\n`, {}],
    [
      "readSheet",
      `${rows} rows of 100 names`,
      `Nome,Unidade\n${lines(rows, (n) => `Ana ${n},"${named(n)}"`)}\n`,
      {},
    ],
    [
      "readSheet",
      `${rows} rows, corrected by hand`,
      people,
      {
        fixes: Array.from({ length: Math.min(rows, 3_000) }, (_, n) => ({
          row: n + 2,
          column: 1,
          value: `${n}`,
        })),
      },
    ],
    ["importClients", `${rows} rows`, people, { locationId, dryRun: true }],
  ];
  return sheets.map(([operation, input, file, beside]) => {
    const body = new FormData();
    body.append("input", JSON.stringify(beside));
    body.append("file", new Blob([file]), "clients.csv");
    return { operation: `POST ${operation}`, input, method: "POST", path: `/app/v1/${operation}`, body };
  });
}

function lines(count: number, line: (place: number) => string, between = "\n"): string {
  return Array.from({ length: count }, (_, place) => line(place)).join(between);
}
