import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { test } from "node:test";
import { PUBLIC_URL, startApi, type TestApi } from "../support/api.ts";
import { fileForm, sendFile } from "../support/forms.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { newStaff, type TestStaff } from "../support/staff.ts";
import { exchange, parseAnswers } from "../support/wire.ts";

const LIMITS = { headers: 2_000, request: 400, silence: 15_000, checkEvery: 50 };
const api = await startApi({ timeLimits: LIMITS });

async function newOwner(server: TestApi = api): Promise<TestStaff> {
  const studio = await server.newOrganization();
  await addLocation(server.db, studio.id, { name: "Centro" });
  return newStaff(server, studio.id);
}

const SHEET = "Nome\nAna\n";

test("a form that is not as it is declared is refused with every fault of its parts", async () => {
  const owner = await newOwner();
  const part = (name: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
  const cases: [what: string, raw: string, type: string, expected: string][] = [
    ["no form", SHEET, "text/csv", "415 unsupported_media_type"],
    ["no boundary", SHEET, "multipart/form-data", "415 unsupported_media_type"],
    ["nothing in it", "--b--\r\n", FORM, "422 body.file required"],
    ["no file", `${part("input", "{}")}--b--\r\n`, FORM, "422 body.file required"],
    ["two files", `${part("file", SHEET)}${part("file", SHEET)}--b--\r\n`, FORM, "422 body.file given_twice"],
    ["another part", `${part("file", SHEET)}${part("more", "")}--b--\r\n`, FORM, "422 body unknown_member"],
    ["no end", part("file", SHEET), FORM, "400 malformed"],
    ["a part without a name", `--b\r\n\r\n${SHEET}\r\n--b--\r\n`, FORM, "400 malformed"],
    ["an endless head", `--b\r\nX: ${"x".repeat(5_000)}\r\n\r\n--b--\r\n`, FORM, "400 malformed"],
    ["no JSON", `${part("input", "{")}${part("file", SHEET)}--b--\r\n`, FORM, "400 malformed"],
    ["not UTF-8", `${part("input", "{\u0080}")}${part("file", SHEET)}--b--\r\n`, FORM, "400 malformed"],
    [
      "unknown members",
      `${part("input", '{"a":1,"fixes":[{"row":0}]}')}${part("file", SHEET)}--b--\r\n`,
      FORM,
      "422 body.input.fixes[0].column required, body.input.fixes[0].row below_minimum, body.input.fixes[0].value required, body.input.a unknown_member",
    ],
    [
      "a member twice",
      `${part("input", '{"dates":"dmy","dates":"mdy"}')}${part("file", SHEET)}--b--\r\n`,
      FORM,
      "422 body.input.dates given_twice",
    ],
    [
      "much beside the file",
      `${part("input", `{"worksheet":"${"x".repeat(300_000)}"}`)}--b--\r\n`,
      FORM,
      "413 too_large",
    ],
    [
      "many values beside the file",
      `${part("input", `{"leaveOut":[${"1,".repeat(20_000)}1]}`)}${part("file", SHEET)}--b--\r\n`,
      FORM,
      "422 body.input too_many_values",
    ],
  ];
  for (const [what, raw, type, expected] of cases) {
    const { status, body } = await owner.write(
      "readSheet",
      {},
      { raw: Buffer.from(raw, "latin1"), headers: { "content-type": type } },
    );
    const faults = body.errors
      ?.map(({ location, code }: Record<string, string>) => `${location} ${code}`)
      .sort(
        (a: string, b: string) =>
          Number(a.includes("unknown")) - Number(b.includes("unknown")) || (a < b ? -1 : 1),
      );
    assert.equal(`${status} ${faults?.join(", ") ?? body.code}`, expected, what);
  }
  assert.deepEqual(openFiles(), []);
});

const FORM = "multipart/form-data; boundary=b";

test("a form is read whatever pieces it arrives in", async () => {
  const owner = await newOwner();
  const { raw, type } = await fileForm("Nome\r\n--Ana\r\n--\r\n", { dates: "dmy" });
  const head = requestHead(owner, "readSheet", type, raw.length);
  for (const size of [1, 7, 61, raw.length]) {
    const socket = await connected(api);
    socket.write(head);
    for (let at = 0; at < raw.length; at += size) socket.write(raw.subarray(at, at + size));
    const [answer] = parseAnswers(await readAnswer(socket));
    assert.deepEqual([answer?.status, answer?.body.counts?.rows], [200, 2], `${size} bytes at a time`);
    socket.destroy();
  }
});

test("a file above 20 MiB is refused as soon as that shows, and the caller reads why", async () => {
  const owner = await newOwner();
  const { status, body } = await sendFile(owner, "readSheet", Buffer.alloc(20 * 1024 * 1024 + 1, "a"));
  assert.deepEqual([status, body.code, body.detail], [413, "too_large", "The file is larger than 20 MiB."]);
  assert.deepEqual(openFiles(), []);
  assert.equal((await sendFile(owner, "readSheet", SHEET)).status, 200);
});

test("a file that arrives slowly has more time than other requests", async () => {
  const owner = await newOwner();
  const { raw, type } = await fileForm(SHEET);
  const slow = await connected(api);
  slow.write(requestHead(owner, "readSheet", type, raw.length));
  slow.write(raw.subarray(0, 50));
  // Begun later and cut off: so the first has been let live beyond the limit.
  const cut = await exchange(api.url, requestHead(owner, "addServiceType", "application/json", 100));
  assert.equal(parseAnswers(cut.text)[0]?.status, 408);
  slow.write(raw.subarray(50));
  assert.equal(parseAnswers(await readAnswer(slow))[0]?.status, 200);
  slow.destroy();
});

test("a file that does not arrive in its own time is not waited for", async () => {
  const hasty = await startApi({ beside: api, uploads: { arrivalMs: 300 } });
  const owner = await newOwner();
  const { raw, type } = await fileForm(SHEET);
  const { text } = await exchange(
    hasty.url,
    Buffer.concat([Buffer.from(requestHead(owner, "readSheet", type, raw.length)), raw.subarray(0, 50)]),
  );
  const [answer] = parseAnswers(text);
  assert.deepEqual([answer?.status, answer?.headers.connection], [408, "close"]);
  assert.deepEqual(openFiles(), []);
});

test("a file has no name on the disk while it arrives, and nothing of it stays when its sender leaves", async () => {
  const refusing = await startApi({ beside: api, uploads: { patienceMs: 0 } });
  const owner = await newOwner(refusing);
  const { raw, type } = await fileForm(`Nome\n${"Ana\n".repeat(50_000)}`);
  const sockets = await Promise.all([connected(refusing), connected(refusing)]);
  for (const socket of sockets) {
    socket.write(requestHead(owner, "readSheet", type, raw.length));
    socket.write(raw.subarray(0, raw.length / 2));
  }
  // Whatever ends the process now, nothing is left.
  await until("both files arrive without a name", async () => openFiles().length === 2 && !hasNames());
  const third = await sendFile(owner, "readSheet", SHEET);
  assert.equal(third.status, 503, "one organization has two at a time");
  assert.ok(third.headers.get("retry-after"));
  assert.equal(
    (await sendFile(await newOwner(refusing), "readSheet", SHEET)).status,
    200,
    "others are not concerned",
  );
  for (const socket of sockets) socket.destroy();
  await until("both files are gone", async () => openFiles().length === 0);
  assert.equal((await sendFile(owner, "readSheet", SHEET)).status, 200);
});

test("files that hardly arrive make room for one that does, and one that arrives in time keeps its place", async () => {
  const few = await startApi({ beside: api, uploads: { atOnce: 2, lagMs: 300 } });
  const { raw, type } = await fileForm(`Nome\n${`${"A".repeat(9_999)}\n`.repeat(200)}`);
  const begin = async () => {
    const socket = await connected(few);
    const answer = readAnswer(socket);
    answer.catch(() => undefined);
    socket.write(requestHead(await newOwner(few), "readSheet", type, raw.length));
    socket.write(raw.subarray(0, SLICE_BYTES));
    return { socket, answer };
  };
  const [quick, slow] = [await begin(), await begin()];
  // Some 300 kB a second: more than the slowest pace.
  let sent = SLICE_BYTES;
  const sending = setInterval(() => {
    quick.socket.write(raw.subarray(sent, sent + SLICE_BYTES));
    sent += SLICE_BYTES;
  }, 100);
  await until("both arrive", async () => openFiles().length === 2);
  assert.equal(
    (await sendFile(await newOwner(few), "readSheet", SHEET)).status,
    200,
    "another one waits a little",
  );
  assert.match(await slow.answer, /^HTTP\/1.1 408 .*connection: close/is);
  clearInterval(sending);
  quick.socket.write(raw.subarray(sent));
  assert.match(await quick.answer, /^HTTP\/1.1 200 /);
  for (const { socket } of [quick, slow]) socket.destroy();
  await until("both are gone", async () => openFiles().length === 0);
});

const SLICE_BYTES = 30_000;

/** Files of uploads that this process, which is also the server, has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.includes("rollbook-upload-") ? [path] : [];
    } catch {
      return [];
    }
  });
}

function hasNames(): boolean {
  return openFiles().some((path) => !path.endsWith(" (deleted)") || existsSync(dirname(path)));
}

function requestHead(person: TestStaff, operation: string, type: string, length: number): string {
  return [
    `POST /app/v1/${operation} HTTP/1.1`,
    "Host: localhost",
    `Cookie: ${person.cookie}`,
    `Origin: ${PUBLIC_URL}`,
    `Idempotency-Key: ${newId()}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    "",
    "",
  ].join("\r\n");
}

function connected({ url }: TestApi): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on("error", reject);
  });
}

/** The first answer on a connection that stays open. */
function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)) resolve(text);
    });
    socket.on("close", () => reject(new Error(`closed after: ${text}`)));
  });
}
