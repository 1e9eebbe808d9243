import assert from "node:assert/strict";
import { test } from "node:test";
import { LANGUAGES, localeOf } from "../../console/languages/languages.ts";
import { longDateIn } from "../../console/languages/long-date.ts";
import { inOrderOf } from "../../console/languages/order.ts";
import { relativeIn } from "../../console/languages/relative-time.ts";

test("a long date reads as the formatter of each language writes it", () => {
  for (const language of LANGUAGES) {
    const formatter = new Intl.DateTimeFormat(localeOf(language), {
      weekday: "long",
      day: "numeric",
      month: "long",
      timeZone: "UTC",
    });
    for (let day = 0; day < 366; day++) {
      const date = new Date(Date.UTC(2028, 0, 1 + day));
      assert.equal(longDateIn(language, date.toISOString()), formatter.format(date));
    }
  }
});

test("a long date of another year than this one says its year", () => {
  assert.equal(longDateIn("en", "2026-11-09", "2026"), "Monday 9 November");
  assert.equal(longDateIn("en", "2027-11-09", "2026"), "Tuesday 9 November 2027");
  assert.equal(longDateIn("pt-BR", "2027-11-09T07:00", "2026"), "terça-feira, 9 de novembro de 2027");
  assert.equal(longDateIn("es", "2025-11-09", "2026"), "domingo, 9 de noviembre de 2025");
});

test("a time that is near reads as the formatter of each language writes it", () => {
  for (const language of LANGUAGES) {
    const formatter = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    assert.equal(relativeIn(language, 0, "second"), formatter.format(0, "second"));
    for (const unit of ["second", "minute", "hour"] as const)
      for (let value = -60; value <= 60; value++)
        if (value !== 0) assert.equal(relativeIn(language, value, unit), formatter.format(value, unit));
  }
});

test("names are sorted as the language of the person does, and those that are the same stay as they are", () => {
  const names = ["Tânia", "bruno", "Zoë", "Álvaro", "Ana", "Élio", "Eva", "Ñusta", "Nuno"];
  const sorted = ["Álvaro", "Ana", "bruno", "Élio", "Eva", "Nuno", "Ñusta", "Tânia", "Zoë"];
  for (const language of LANGUAGES)
    assert.deepEqual(
      inOrderOf(names, (name) => name, language),
      sorted,
    );
  const twice = [
    { id: 2, name: "Ana" },
    { id: 1, name: "Ana" },
    { id: 3, name: "Álvaro" },
  ];
  assert.deepEqual(
    inOrderOf(twice, ({ name }) => name, "pt-BR").map(({ id }) => id),
    [3, 2, 1],
  );
});
