import assert from "node:assert/strict";
import { test } from "node:test";
import { callLink, isolate, mailLink, whatsAppLink } from "../../console/languages/given-text.ts";

test("a name with another direction is set apart in a sentence, without controls of its own; others stay as they are", () => {
  for (const [name, shown] of [
    ["Ana Prado", "Ana Prado"],
    ["João 7", "João 7"],
    ["דנה כהן", "\u2068דנה כהן\u2069"],
    ["\u202egnp.exe", "\u2068gnp.exe\u2069"],
    ["Ana\u2069\u2066", "\u2068Ana\u2069"],
    [7, 7],
  ] as const)
    assert.equal(isolate(name), shown, String(name));
});

test("nothing of an e-mail address or a telephone number is read as anything else", () => {
  for (const [email, link] of [
    ["ana@example.com", "mailto:ana@example.com"],
    ["ana+a@example.com", "mailto:ana%2Ba@example.com"],
    ["a?cc=b&body=x@example.com", "mailto:a%3Fcc%3Db%26body%3Dx@example.com"],
    ["josé#1%@exämple.com", "mailto:jos%C3%A9%231%25@ex%C3%A4mple.com"],
  ] as const)
    assert.equal(mailLink(email), link);
  for (const [phone, link] of [
    ["+55 (11) 98765-4321", "tel:+5511987654321"],
    ["11 3333-4444 ramal 12", "tel:1133334444"],
    ["0049+30#1;ext=2?x", "tel:0049301"],
    ["(+351) 912 345 678", "tel:+351912345678"],
    ["javascript:alert(1)", undefined],
    ["call the mother", undefined],
  ] as const)
    assert.equal(callLink(phone).href, link);
});

test("a prepared text goes to one person, whole, and begins nothing else", () => {
  const text = "Olá, Ana & Zé! 50% às 7:00?\nMotivo: #1 = chuva";
  for (const [phone, address] of [
    ["+55 (11) 98765-4321", "https://wa.me/5511987654321"],
    ["(+351) 912 345 678", "https://wa.me/351912345678"],
    ["0049 30 123 ext. 7", "https://wa.me/4930123"],
    // Nobody knows in which country.
    ["11 98765-4321", "https://wa.me/"],
    ["javascript:alert(1)", "https://wa.me/"],
  ] as const) {
    const link = new URL(whatsAppLink(phone, text));
    assert.equal(`${link.origin}${link.pathname}`, address);
    assert.deepEqual([...link.searchParams], [["text", text]]);
  }
  const letter = new URL(mailLink("a?cc=b@example.com", { subject: "A & B", body: text }));
  assert.equal(letter.pathname, "a%3Fcc%3Db@example.com");
  assert.deepEqual(
    [...letter.searchParams],
    [
      ["subject", "A & B"],
      ["body", text],
    ],
  );
});
