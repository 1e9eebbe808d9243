import { isDate } from "../../languages/days.ts";
import { DateField } from "../../parts/date-field.tsx";
import { SelectField } from "../../parts/field.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { nameOfSpan, SPAN_NAMES, type Span, type SpanName, spanOf } from "./spans.ts";
import { words } from "./words.ts";

/** The days that the address names, or else those of a word. */
export function useSpan(today: string, otherwise: SpanName): Span {
  const { query } = route.value;
  const usual = spanOf(otherwise, today);
  const [from, to] = [query.get("from"), query.get("to")];
  return isDate(from) && isDate(to) ? { from, to } : usual;
}

/** Which days are looked at: by a word, or from one to another. The address has them. */
export function SpanFields({ span, today }: { readonly span: Span; readonly today: string }) {
  const t = words();
  const choose = (chosen: Span) => setQuery({ ...chosen, page: undefined });
  const name = nameOfSpan(span, today);
  return (
    <>
      <SelectField
        label={t.days}
        value={name ?? "other"}
        choices={[
          ...SPAN_NAMES.map((value) => ({ value, label: t.spans[value] })),
          ...(name === undefined ? [{ value: "other" as const, label: t.otherDays }] : []),
        ]}
        onChoose={(chosen) => chosen !== "other" && choose(spanOf(chosen, today))}
      />
      <DateField
        label={t.from}
        value={span.from}
        onInput={(from) => isDate(from) && choose({ ...span, from })}
      />
      <DateField label={t.to} value={span.to} onInput={(to) => isDate(to) && choose({ ...span, to })} />
    </>
  );
}
