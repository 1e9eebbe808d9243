import type { Database } from "../db/database.ts";
import { operator } from "../domain/audit/queries.ts";
import { type MintedKey, mintKey, replaceSecret, revokeKey, rotateKey } from "../domain/keys/operations.ts";
import { listKeys } from "../domain/keys/queries.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { revokeAllLinks } from "../sync/calendar-links/queries.ts";
import { type Command, type CommandCall, type Output, showRecords, textFlag } from "./command.ts";
import { ORGANIZATION, readDuration, readId, readLine, readOrganization } from "./flag-values.ts";
import { commitWhenShown, showCommitted } from "./shown-once.ts";

export const keyCommands: readonly Command[] = [
  {
    name: "key mint",
    summary: "make a key; it is shown once, on standard output alone",
    flags: {
      org: { value: "ID", help: "the organization it belongs to", needed: true },
      name: { value: "NAME", help: "what it is for" },
      expires: { value: "DURATION", help: "such as 90d; without it the key does not expire" },
    },
    run: async (call) => {
      const name = textFlag(call, "name");
      const expires = textFlag(call, "expires");
      const given = {
        organizationId: readOrganization(call),
        name: name === undefined ? undefined : readLine(name, "name", 100),
        lifetimeSeconds: expires === undefined ? undefined : readDuration(expires, "expires", 1),
      };
      await showNewKey(call, (tx, keySecret) => mintKey(tx, keySecret, operator().name, given));
    },
  },
  {
    name: "key list",
    summary: "list the keys of an organization",
    flags: { org: ORGANIZATION },
    run: async (call) => {
      const organizationId = readOrganization(call);
      const db = (await call.store()).open({ applicationName: "rollbook key" });
      if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
      const data = await listKeys(db, organizationId);
      showRecords(call, data, {
        header: ["ID", "NAME", "STATUS", "CREATED", "EXPIRES", "LAST USED"],
        row: ({ id, name = "", status, createdAt, expiresAt = "never", lastUsedAt = "never" }) => [
          id,
          name,
          status,
          createdAt,
          expiresAt,
          lastUsedAt,
        ],
        none: "No keys yet.",
      });
    },
  },
  {
    name: "key revoke",
    summary: "end a key; it is refused from the next request on, everywhere",
    arguments: ["KEYID"],
    run: async (call) => {
      const id = readId(call.arguments[0] ?? "", "KEYID");
      const db = (await call.store()).open({ applicationName: "rollbook key" });
      const key = await revokeKey(db, operator().name, id);
      await showCommitted(call.out, () => call.out.result(key, `Key ${key.id} is revoked.`));
    },
  },
  {
    name: "key rotate",
    summary: "make a successor to a key; the old one works until the overlap ends",
    arguments: ["KEYID"],
    flags: { overlap: { value: "DURATION", help: "how long both work (default 24h)" } },
    run: async (call) => {
      const id = readId(call.arguments[0] ?? "", "KEYID");
      const overlapSeconds = readDuration(textFlag(call, "overlap") ?? "24h", "overlap");
      await showNewKey(call, (tx, keySecret) =>
        rotateKey(tx, keySecret, operator().name, id, overlapSeconds),
      );
    },
  },
  {
    name: "key replace-secret",
    summary: "after the key secret was lost: end all keys, and take the secret that is set now",
    flags: { "revoke-all": { help: "every key of every organization is revoked", needed: true } },
    run: async (call) => {
      const store = await call.store();
      const db = store.open({ applicationName: "rollbook key" });
      const secret = await store.anyKeySecret();
      // Tokens of calendar links are hashed with it too: nobody can use one any more.
      const { revokedKeys, links } = await db.transaction(async (tx) => ({
        revokedKeys: await replaceSecret(tx, secret, operator().name),
        links: await revokeAllLinks(tx, await tx.now()),
      }));
      await showCommitted(call.out, () =>
        call.out.result(
          { revokedKeys, ...(links > 0 && { revokedCalendarLinks: links }) },
          `Revoked ${revokedKeys} keys${links > 0 ? ` and ${links} calendar links` : ""}. Start the servers again, then mint new keys with: rollbook key mint`,
        ),
      );
    },
  },
];

async function showNewKey(
  { store: open, out }: CommandCall,
  make: (tx: Database, keySecret: string) => Promise<MintedKey>,
): Promise<void> {
  const store = await open();
  const db = store.open({ applicationName: "rollbook key" });
  const keySecret = await store.keySecret();
  await commitWhenShown(
    db,
    out,
    (tx) => make(tx, keySecret),
    (minted) => showSecret(out, minted),
  );
}

function showSecret(out: Output, minted: MintedKey): void {
  const { id, name, key, expiresAt } = minted;
  out.say(
    `Key ${id}${name === undefined ? "" : ` (${name})`}, ${expiresAt ? `expires ${expiresAt}` : "does not expire"}. ` +
      "It is shown once and cannot be recovered; keep it in server-side configuration.",
  );
  out.result({ id, ...(name !== undefined && { name }), key, ...(expiresAt && { expiresAt }) }, key);
}
