import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isDate } from "../../console/languages/days.ts";
import { LANGUAGES } from "../../console/languages/languages.ts";
import {
  countBefore,
  firstDate,
  isComplete,
  newRepeat,
  ORDINALS,
  type Repeat,
  readRule,
  writeRule,
} from "../../console/recurrence/repeat.ts";
import { describeRepeat } from "../../console/recurrence/repeat-words.ts";
import { describeRule } from "../../console/recurrence/rule-words.ts";
import { moveDraft, withTime } from "../../console/screens/timetable/draft-moves.ts";
import { listSlots } from "../../src/domain/recurrence/expand.ts";
import { compileTexts, planSchedule } from "../../src/domain/recurrence/schedule.ts";
import { findZone } from "../../src/domain/recurrence/zones.ts";

/** São Paulo, where clocks have not changed since 2019. */
const toLocal = (instant: string) => new Date(Date.parse(instant) - 3 * 3_600_000).toISOString().slice(0, 16);

/** A rule with its first slot, and what it is called in English, Portuguese and Spanish. */
const SENTENCES: readonly (readonly [
  rule: string | undefined,
  start: string,
  en: string,
  pt: string,
  es: string,
])[] = [
  [
    undefined,
    "2026-11-16T07:00",
    "Once on 16 November at 07:00",
    "Uma vez, em 16 de novembro, às 07:00",
    "Una vez, el 16 de noviembre, a las 07:00",
  ],
  [
    "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261218",
    "2026-11-16T07:00",
    "Every Monday and Wednesday at 07:00 until 18 December",
    "Toda segunda e quarta às 07:00 até 18 de dezembro",
    "Todos los lunes y miércoles a las 07:00 hasta el 18 de diciembre",
  ],
  [
    "FREQ=DAILY",
    "2026-11-16T06:45",
    "Every day at 06:45",
    "Todos os dias às 06:45",
    "Todos los días a las 06:45",
  ],
  [
    "FREQ=DAILY;INTERVAL=2",
    "2026-11-16T01:00",
    "Every 2 days at 01:00",
    "A cada 2 dias à 01:00",
    "Cada 2 días a la 01:00",
  ],
  [
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "2026-11-16T13:00",
    "Every Monday to Friday at 13:00",
    "De segunda a sexta às 13:00",
    "De lunes a viernes a las 13:00",
  ],
  [
    "FREQ=WEEKLY;BYDAY=FR,SA,SU",
    "2026-11-20T10:00",
    "Every Friday, Saturday and Sunday at 10:00",
    "Toda sexta, todo sábado e domingo às 10:00",
    "Todos los viernes, sábados y domingos a las 10:00",
  ],
  [
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,SU;COUNT=24",
    "2026-11-18T17:00",
    "Every 2 weeks on Wednesday and Sunday at 17:00, 24 times",
    "A cada 2 semanas, na quarta e no domingo às 17:00, 24 vezes",
    "Cada 2 semanas, los miércoles y domingos a las 17:00, 24 veces",
  ],
  [
    "FREQ=MONTHLY;BYMONTHDAY=22",
    "2026-11-22T09:30",
    "Every month on the 22nd at 09:30",
    "Todo mês no dia 22 às 09:30",
    "Cada mes, el día 22 a las 09:30",
  ],
  [
    "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1;COUNT=1",
    "2026-11-30T09:30",
    "Every 3 months on the last day at 09:30, once",
    "A cada 3 meses no último dia às 09:30, uma vez",
    "Cada 3 meses, el último día a las 09:30, una vez",
  ],
  [
    "FREQ=MONTHLY;BYDAY=1SA,3SA",
    "2026-12-05T15:00",
    "Every month on the first and third Saturday at 15:00",
    "Todo mês no primeiro e no terceiro sábado às 15:00",
    "Cada mes, el primer y el tercer sábado a las 15:00",
  ],
  [
    "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270131",
    "2026-11-27T18:30",
    "Every month on the last Friday at 18:30 until 31 January 2027",
    "Todo mês na última sexta às 18:30 até 31 de janeiro de 2027",
    "Cada mes, el último viernes a las 18:30 hasta el 31 de enero de 2027",
  ],
];

for (const [rule, start, ...sentences] of SENTENCES)
  test(`a rule is read, said in three languages and written as it was: ${rule ?? "once"}`, () => {
    const repeat = readRule(rule, start, toLocal);
    assert.ok(repeat && isComplete(repeat));
    assert.equal(writeRule(repeat), rule);
    assert.deepEqual(
      LANGUAGES.map((language) => describeRepeat(repeat, { start, year: "2026", language })),
      sentences,
    );
  });

/** Rules that say more than the choices can. */
const FURTHER: readonly (readonly [rule: string, start: string, en: string, pt: string, es: string])[] = [
  [
    "FREQ=YEARLY",
    "2026-11-18T07:00",
    "Every year on 18 November at 07:00",
    "Todo ano em 18 de novembro às 07:00",
    "Cada año el 18 de noviembre a las 07:00",
  ],
  [
    "FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;UNTIL=20300531",
    "2027-05-31T07:00",
    "Every year on the last Monday of May at 07:00 until 31 May 2030",
    "Todo ano na última segunda de maio às 07:00 até 31 de maio de 2030",
    "Cada año el último lunes de mayo a las 07:00 hasta el 31 de mayo de 2030",
  ],
  [
    "FREQ=YEARLY;INTERVAL=2;BYDAY=20MO",
    "2027-05-17T07:00",
    "Every 2 years on the 20th Monday of the year at 07:00",
    "A cada 2 anos na 20ª segunda do ano às 07:00",
    "Cada 2 años el 20.º lunes del año a las 07:00",
  ],
  [
    "FREQ=YEARLY;BYMONTH=1,7",
    "2027-01-10T07:00",
    "Every year on the 10th in January and July at 07:00",
    "Todo ano no dia 10 em janeiro e julho às 07:00",
    "Cada año el día 10 en enero y julio a las 07:00",
  ],
  [
    "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
    "2026-11-13T07:00",
    "Every month on the 13th, if it is a Friday, at 07:00",
    "Todo mês no dia 13, quando cai na sexta, às 07:00",
    "Cada mes el día 13, si cae en viernes, a las 07:00",
  ],
  [
    "FREQ=MONTHLY;BYMONTHDAY=1,15,-2",
    "2026-11-01T07:00",
    "Every month on the 1st, the 15th and the 2nd to last day of the month at 07:00",
    "Todo mês nos dias 1 e 15 e no penúltimo dia do mês às 07:00",
    "Cada mes los días 1 y 15 y el penúltimo día del mes a las 07:00",
  ],
  [
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "2026-11-30T07:00",
    "Every month on Monday to Friday at 07:00, only the last of these in each month",
    "Todo mês de segunda a sexta às 07:00, só a última dessas vezes em cada mês",
    "Cada mes de lunes a viernes a las 07:00, solo la última de esas veces en cada mes",
  ],
  [
    "FREQ=WEEKLY;BYDAY=MO,SA;BYHOUR=1,9;BYMINUTE=0;COUNT=10",
    "2026-11-16T09:00",
    "Every week on Monday and Saturday at 01:00 and 09:00, 10 times",
    "Toda semana na segunda e no sábado à 01:00 e às 09:00, 10 vezes",
    "Cada semana los lunes y sábados a la 01:00 y a las 09:00, 10 veces",
  ],
  [
    "FREQ=DAILY;BYMONTH=12;BYHOUR=6,7,8,9,10,11,12,13,14,15,16,17,18",
    "2026-12-01T06:30",
    "Every day in December 13 times a day, from 06:30 to 18:30",
    "Todos os dias em dezembro 13 vezes por dia, das 06:30 às 18:30",
    "Todos los días en diciembre 13 veces al día, de 06:30 a 18:30",
  ],
];

for (const [rule, start, ...sentences] of FURTHER)
  test(`a rule beyond the choices is said in three languages: ${rule}`, () => {
    assert.equal(readRule(rule, start, toLocal), undefined);
    assert.deepEqual(
      LANGUAGES.map((language) => describeRule(rule, { start, year: "2026", language, toLocal })),
      sentences,
    );
  });

test("what is no rule has no sentence", () => {
  for (const rule of ["", "every Monday", "FREQ=HOURLY", "FREQ=WEEKLY;BYDAY=XX", "FREQ=DAILY;BYHOUR=seven"])
    assert.equal(
      describeRule(rule, { start: "2026-11-16T07:00", year: "2026", language: "en", toLocal }),
      undefined,
      rule,
    );
});

/** Rules that say the same as one that the choices write. */
const SAME: readonly (readonly [rule: string, start: string, written: string])[] = [
  ["FREQ=WEEKLY", "2026-11-18T07:00", "FREQ=WEEKLY;BYDAY=WE"],
  ["freq=daily;byday=tu,mo", "2026-11-16T07:00", "FREQ=WEEKLY;BYDAY=MO,TU"],
  ["FREQ=MONTHLY", "2026-11-18T07:00", "FREQ=MONTHLY;BYMONTHDAY=18"],
  ["FREQ=MONTHLY;BYDAY=+2SU", "2026-11-08T07:00", "FREQ=MONTHLY;BYDAY=2SU"],
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU", "2026-11-16T07:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU"],
  // 07:00 in São Paulo is 10:00Z: the slot of the 18th is cut off by the first, and still in by the second.
  [
    "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261118T095959Z",
    "2026-11-16T07:00",
    "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261117",
  ],
  [
    "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261118T100000Z",
    "2026-11-16T07:00",
    "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261118",
  ],
];

for (const [rule, start, written] of SAME)
  test(`a rule that is put in other words is understood: ${rule}`, () => {
    const repeat = readRule(rule, start, toLocal);
    assert.equal(repeat && writeRule(repeat), written);
  });

for (const rule of [
  "FREQ=YEARLY",
  "FREQ=DAILY;BYDAY=MO;BYHOUR=8,9",
  "FREQ=DAILY;INTERVAL=2;BYDAY=MO",
  "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1",
  "FREQ=MONTHLY;BYDAY=1MO,2TU",
  "FREQ=MONTHLY;BYDAY=5SA",
  "FREQ=MONTHLY;BYDAY=MO",
  "FREQ=MONTHLY;BYMONTHDAY=10,20",
  "FREQ=MONTHLY;BYMONTHDAY=-2",
  "FREQ=WEEKLY;BYDAY=MO;BYMONTH=3",
  "FREQ=HOURLY",
])
  test(`a rule that the choices cannot express is left alone: ${rule}`, () => {
    assert.equal(readRule(rule, "2026-11-16T07:00", toLocal), undefined);
  });

const repeats: fc.Arbitrary<Repeat> = fc.record({
  every: fc.constantFrom("day", "week", "month"),
  interval: fc.integer({ min: 1, max: 4 }),
  weekdays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
  monthBy: fc.constantFrom("day", "weekday"),
  monthDay: fc.constantFrom(-1, 1, 15, 29, 30, 31),
  ordinals: fc.uniqueArray(fc.constantFrom(...ORDINALS), { minLength: 1 }),
  monthWeekday: fc.integer({ min: 0, max: 6 }),
  end: fc.constant({ kind: "never" as const }),
  weekStart: fc.constantFrom(0, 6),
});

test("whatever is chosen, the first date fits its rule, and dates are counted as the calendar has them", () => {
  const zone = findZone("UTC");
  assert.ok(zone);
  fc.assert(
    fc.property(repeats, fc.integer({ min: 0, max: 800 }), (repeat, days) => {
      const asked = new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, 10);
      const first = firstDate(repeat, asked);
      const rrule = writeRule(repeat);
      assert.ok(first !== undefined && rrule !== undefined);
      const texts = { start: `${first}T07:00`, rrule };
      assert.deepEqual(planSchedule(texts, zone).faults, []);
      const fromMs = Date.parse(`${first}T00:00Z`);
      const untilMs = fromMs + 200 * 86_400_000;
      const until = new Date(untilMs).toISOString().slice(0, 10);
      assert.equal(
        countBefore(repeat, first, until),
        listSlots(compileTexts(texts, "UTC"), fromMs, untilMs).length,
      );
      const back = readRule(rrule, texts.start, toLocal);
      assert.equal(back && writeRule(back), rrule);
    }),
    { numRuns: 300 },
  );
});

test("a new series repeats weekly on the day of its date", () => {
  assert.equal(writeRule(newRepeat("2026-11-18", 0)), "FREQ=WEEKLY;BYDAY=WE");
});

test("choices that are not complete are no rule yet", () => {
  const repeat = newRepeat("2026-11-18", 0);
  for (const incomplete of [
    { weekdays: [] },
    { interval: 0 },
    { interval: Number.NaN },
    { every: "month", monthBy: "weekday", ordinals: [] },
    { end: { kind: "on", date: "" } },
    { end: { kind: "after", times: 0 } },
  ] as const)
    assert.equal(isComplete({ ...repeat, ...incomplete }), false, JSON.stringify(incomplete));
});

/** Ten times from 18 November 2026 on, the last seven of them from the 30th on. */
const draftFrom = (start: string, times: number, exdates: readonly string[]) => ({
  session: {},
  date: start.slice(0, 10),
  time: "07:00",
  repeat: readRule(`FREQ=WEEKLY;BYDAY=MO,WE;COUNT=${times}`, start, toLocal),
  exdates,
  rdates: [],
});

test("a change that is to begin at another slot keeps what was typed, and only the times that are left from there", () => {
  const begun = draftFrom("2026-11-18T07:00", 10, ["2026-11-25T07:00"]);
  const next = draftFrom("2026-11-30T07:00", 7, []);
  assert.ok(begun.repeat);
  const typed = {
    ...begun,
    time: "08:00",
    repeat: { ...begun.repeat, weekdays: [0, 2, 4] },
    exdates: [...begun.exdates, "2026-12-02T07:00"],
  };
  const later = moveDraft(begun, typed, next);
  assert.deepEqual(
    [later.date, later.time, later.repeat?.weekdays, later.repeat?.end, later.exdates],
    ["2026-11-30", "08:00", [0, 2, 4], { kind: "after", times: 7 }, ["2026-12-02T07:00"]],
  );
  // And back again: the date that is left out before it is there again.
  assert.deepEqual(moveDraft(next, later, begun), typed);
  const seldom = { ...begun, repeat: { ...begun.repeat, end: { kind: "after", times: 4 } as const } };
  assert.deepEqual(moveDraft(begun, seldom, next).repeat?.end, { kind: "after", times: 4 });
});

test("of a class that somebody else changes, what was typed stays and the rest is theirs", () => {
  const begun = draftFrom("2026-11-18T07:00", 10, []);
  const draftOf = (capacity: string, durationMinutes: string) => ({
    ...begun,
    session: { capacity, durationMinutes },
  });
  const [before, typed, stored] = [draftOf("10", "50"), draftOf("7", "50"), draftOf("12", "40")];
  assert.deepEqual(moveDraft(before, typed, stored).session, { capacity: "7", durationMinutes: "40" });
});

test("a date that is left out goes with the class to another time; one that is added stays", () => {
  const initial = draftFrom("2026-11-18T07:00", 10, ["2026-11-25T07:00", "2026-12-09T18:00"]);
  const dates = [...initial.exdates, "2026-12-02T07:30"];
  assert.deepEqual(
    dates.map((exdate) => withTime(initial, "07:30", exdate)),
    ["2026-11-25T07:30", "2026-12-09T18:00", "2026-12-02T07:30"],
  );
  assert.deepEqual(
    dates.map((exdate) => withTime(initial, "", exdate)),
    dates,
  );
});

test("years that are typed letter by letter, and the ends of the calendar, are no dates", () => {
  const dates = [
    "0002-12-01",
    "0020-12-01",
    "0202-12-01",
    "9999-12-31",
    "0001-01-01",
    "2026-13-01",
    "",
    null,
  ];
  assert.deepEqual(dates.filter(isDate), []);
  assert.ok(["1899-01-01", "2027-12-01", "8999-12-31"].every(isDate));
});
