import type { Choice } from "../../parts/field.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { words } from "./words.ts";
import { type Answers, answer, chooseColumns, chooseHeaderRow, type Meaning, type Reading } from "./work.ts";

/** What each column was taken for, to be corrected. */
export function Columns({ reading }: { readonly reading: Reading }) {
  const t = words();
  if (reading.isDownload) return <p>{t.download}</p>;
  const choices = meaningChoices();
  return (
    <>
      <p class="import-hint">{t.columnsHint}</p>
      <div class="import-columns">
        {reading.columns.map(({ name, as = "none", samples }, column) =>
          name === "" ? null : (
            <SelectField<Meaning>
              key={`${column} ${name}`}
              label={name}
              hint={samples.join(" · ")}
              value={as as Meaning}
              choices={choices}
              onChoose={(chosen) => void chooseColumns([[column, chosen]])}
            />
          ),
        )}
      </div>
    </>
  );
}

function meaningChoices(): Choice<Meaning>[] {
  return Object.entries(words().meanings).map(([value, label]) => ({ value: value as Meaning, label }));
}

/** How the file was read, for when that is wrong. */
export function FileOptions({ reading, answers }: { readonly reading: Reading; readonly answers: Answers }) {
  const t = words();
  const { format, headerRow, locations, columns } = reading;
  const hasDates = columns.some(({ as }) => as === "birthdate");
  return (
    <details class="import-options">
      <summary>{t.how}</summary>
      <div class="import-columns">
        {format?.kind === "workbook" && (
          <SelectField
            label={t.worksheet}
            value={format.worksheet ?? ""}
            choices={(format.worksheets ?? []).map((name) => ({ value: name, label: name }))}
            onChoose={(worksheet) => void answer({ worksheet })}
          />
        )}
        {format?.kind === "text" && (
          <>
            <EncodingField value={format.encoding} />
            <DelimiterField value={format.delimiter} />
          </>
        )}
        {headerRow !== undefined && !reading.isDownload && (
          <TextField
            label={t.headerRow}
            type="number"
            inputMode="numeric"
            min={1}
            value={String(headerRow)}
            onInput={(text) => {
              const row = Number(text);
              if (Number.isInteger(row) && row >= 1 && row !== headerRow) void chooseHeaderRow(row);
            }}
          />
        )}
        {hasDates && <DatesField value={answers.dates} />}
        {locations.length > 1 && <LocationField reading={reading} value={answers.locationId} />}
      </div>
    </details>
  );
}

const ENCODINGS: readonly Choice<Encoding>[] = [
  { value: "utf-8", label: "UTF-8" },
  { value: "windows-1252", label: "Windows-1252" },
  { value: "macintosh", label: "Mac Roman" },
  { value: "utf-16le", label: "UTF-16 LE" },
  { value: "utf-16be", label: "UTF-16 BE" },
];
type Encoding = NonNullable<Answers["encoding"]>;
type Delimiter = NonNullable<Answers["delimiter"]>;
type Dates = NonNullable<Answers["dates"]>;

export function EncodingField({ value }: { readonly value: Encoding | undefined }) {
  const t = words();
  return (
    <SelectField<Encoding | "">
      label={t.encoding}
      value={value ?? ""}
      choices={value ? ENCODINGS : [{ value: "", label: t.choice }, ...ENCODINGS]}
      onChoose={(encoding) => encoding && void answer({ encoding })}
    />
  );
}

export function DelimiterField({ value }: { readonly value: Delimiter | undefined }) {
  const t = words();
  const choices = Object.entries(t.delimiters).map(([name, label]) => ({ value: name as Delimiter, label }));
  return (
    <SelectField<Delimiter | "">
      label={t.delimiter}
      value={value ?? ""}
      choices={value ? choices : [{ value: "", label: t.choice }, ...choices]}
      onChoose={(delimiter) => delimiter && void answer({ delimiter })}
    />
  );
}

export function DatesField({ value }: { readonly value: Dates | undefined }) {
  const t = words();
  return (
    <SelectField<Dates | "">
      label={t.dates}
      value={value ?? ""}
      choices={[
        ...(value ? [] : [{ value: "" as const, label: t.certain }]),
        { value: "dmy", label: t.dayFirst },
        { value: "mdy", label: t.monthFirst },
      ]}
      onChoose={(dates) => dates && void answer({ dates })}
    />
  );
}

export function LocationField({
  reading,
  value,
}: {
  readonly reading: Reading;
  readonly value: string | undefined;
}) {
  const t = words();
  const isKnown = reading.locations.some(({ id }) => id === value);
  return (
    <SelectField
      label={t.location}
      value={isKnown ? (value ?? "") : ""}
      choices={[
        ...(isKnown ? [] : [{ value: "", label: t.choice }]),
        ...reading.locations.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChoose={(locationId) => locationId && void answer({ locationId })}
    />
  );
}
