import type { ComponentChildren } from "preact";
import { Button } from "../../parts/button.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { DatesField, DelimiterField, EncodingField, LocationField } from "./understanding.tsx";
import { words } from "./words.ts";
import { answer, chooseColumns, type Reading } from "./work.ts";

type Question = Reading["questions"][number];

/** What is not certain, each with what answers it. */
export function Questions({ reading }: { readonly reading: Reading }) {
  const t = words();
  if (reading.questions.length === 0) return null;
  return (
    <Section title={t.questions}>
      {reading.questions.map((question) => (
        <Notice key={question.message} tone="warning">
          <div class="import-question">
            <p>{question.message}</p>
            {answerOf(question, reading)}
          </div>
        </Notice>
      ))}
    </Section>
  );
}

/** What can be chosen; nothing where only another file helps. */
function answerOf({ code, columns }: Question, reading: Reading): ComponentChildren {
  const t = words();
  switch (code) {
    case "encoding_mixed":
    case "encoding_unclear":
    case "encoding_wrong":
      return <EncodingField value={undefined} />;
    case "delimiter_unclear":
    case "single_column_divided":
      return <DelimiterField value={undefined} />;
    case "dates_month_first":
      return <DatesField value={undefined} />;
    case "location_column_missing":
    case "location_flag_unknown":
      return <LocationField reading={reading} value={undefined} />;
    case "locations_missing":
      return <Button href="/console/catalog">{t.toLocations}</Button>;
    case "name_column_missing":
      return <NameColumn reading={reading} />;
    case "id_column_unclear": {
      const column = placesOf(reading, columns)[0] ?? 0;
      return (
        <div class="actions">
          <Button onClick={() => void chooseColumns([[column, "none"]])}>{t.ownNumber}</Button>
          <Button onClick={() => void chooseColumns([[column, "document"]])}>{t.idDocument}</Button>
        </div>
      );
    }
    case "status_empty":
    case "state_or_status": {
      const meanings = ["status", "address.state", "none"] as const;
      const column = placesOf(reading, columns)[0] ?? 0;
      return (
        <div class="actions">
          {meanings.slice(code === "status_empty" ? -1 : 0).map((as) => (
            <Button key={as} onClick={() => void chooseColumns([[column, as]])}>
              {t.meanings[as]}
            </Button>
          ))}
        </div>
      );
    }
    case "years_two_digits":
      return (
        <div class="actions">
          <Button onClick={() => void answer({ shortYears: "recent" })}>{t.recentYears}</Button>
          <Button onClick={() => void answer({ shortYears: "notes" })}>{t.datesToNotes}</Button>
        </div>
      );
    case "letters_garbled":
      return (
        <div class="actions">
          <Button onClick={() => void answer({ garbled: "repair" })}>{t.repairLetters}</Button>
          <Button onClick={() => void answer({ garbled: "keep" })}>{t.keepLetters}</Button>
        </div>
      );
    case "numbers_short":
      return (
        <div class="actions">
          <Button onClick={() => void answer({ shortNumbers: "zeros" })}>{t.addZeros}</Button>
          <Button onClick={() => void answer({ shortNumbers: "keep" })}>{t.keepNumbers}</Button>
        </div>
      );
    case "columns_same":
    case "documents_two": {
      const [first = 0, second = 0] = placesOf(reading, columns);
      return (
        <div class="actions">
          <Button onClick={() => void chooseColumns([[second, "none"]])}>{t.keep(columns[0] ?? "")}</Button>
          <Button onClick={() => void chooseColumns([[first, "none"]])}>{t.keep(columns[1] ?? "")}</Button>
        </div>
      );
    }
    default:
      return null;
  }
}

function NameColumn({ reading }: { readonly reading: Reading }) {
  const t = words();
  return (
    <SelectField
      label={t.nameColumn}
      value=""
      choices={[
        { value: "", label: t.choice },
        ...reading.columns.flatMap(({ name, samples }, column) =>
          name === "" ? [] : [{ value: String(column), label: [name, ...samples.slice(0, 1)].join(" · ") }],
        ),
      ]}
      onChoose={(column) => column !== "" && void chooseColumns([[Number(column), "contactName"]])}
    />
  );
}

/** Where columns of these names are; of two with one name, the first and the second. */
function placesOf(reading: Reading, names: readonly string[]): number[] {
  const places: number[] = [];
  for (const name of names) {
    const place = reading.columns.findIndex((column, i) => column.name === name && !places.includes(i));
    if (place >= 0) places.push(place);
  }
  return places;
}
