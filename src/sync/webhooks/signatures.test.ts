import assert from "node:assert/strict";
import { test } from "node:test";
import { composeSecret, openSecret, sealSecret, signatureHeader } from "./signatures.ts";

test("a message is signed as Standard Webhooks says: its own example", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  assert.equal(signatureHeader([secret], message), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("with two secrets there are two signatures, the first secret's first", () => {
  const message = { id: "msg_1", timestamp: 1, body: "{}" };
  const [first, second] = [composeSecret(new Uint8Array(32)), composeSecret(new Uint8Array(32).fill(1))];
  const both = signatureHeader([first, second], message);
  assert.equal(both, `${signatureHeader([first], message)} ${signatureHeader([second], message)}`);
  assert.notEqual(signatureHeader([first], message), signatureHeader([second], message));
  for (const other of [{ id: "msg_2" }, { timestamp: 2 }, { body: "{ }" }])
    assert.notEqual(signatureHeader([first], { ...message, ...other }), signatureHeader([first], message));
});

test("a sealed secret opens with the same key at the same endpoint, and nowhere else", () => {
  const place = { organizationId: "a", webhookId: "b" };
  const secret = composeSecret(new Uint8Array(32).fill(7));
  const sealed = sealSecret(secret, "a secret of the server", place, new Uint8Array(12).fill(3));
  assert.doesNotMatch(sealed, /whsec_/);
  assert.equal(openSecret(sealed, "a secret of the server", place), secret);
  assert.equal(openSecret(sealed, "another secret of it", place), undefined);
  assert.equal(openSecret(sealed, "a secret of the server", { ...place, webhookId: "c" }), undefined);
  assert.equal(openSecret(sealed, "a secret of the server", { ...place, organizationId: "c" }), undefined);
  const bytes = Buffer.from(sealed, "base64url");
  for (let place_ = 0; place_ < bytes.length; place_++) {
    const changed = Buffer.from(bytes);
    changed[place_] = (changed[place_] ?? 0) ^ 1;
    assert.equal(openSecret(changed.toString("base64url"), "a secret of the server", place), undefined);
  }
  assert.equal(openSecret("", "a secret of the server", place), undefined);
});
