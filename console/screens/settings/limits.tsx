import type { Answer } from "../../api/reads.ts";
import { useRead } from "../../api/reads.ts";
import { count } from "../../languages/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { limitWords } from "./limit-words.ts";

/** What the organization may store, upload and ask for, and how much of it is used. */
export function Limits() {
  const use = useRead("/app/v1/use");
  return (
    <Section title={limitWords().title}>
      <Shown reading={use}>{(data) => <Figures use={data} />}</Shown>
    </Section>
  );
}

const NEARLY = 0.9;
const MEGABYTE = 1024 * 1024;

function Figures({ use: { storage, uploads, requests } }: { readonly use: Answer<"/app/v1/use"> }) {
  const t = limitWords();
  const { records, limit } = storage;
  const isNearlyFull = limit !== undefined && records >= limit * NEARLY;
  return (
    <>
      {isNearlyFull && <Notice tone="warning">{records >= limit ? t.full : t.nearlyFull}</Notice>}
      <dl class="stack">
        <div>
          <dt>{t.storage}</dt>
          <dd>
            {limit === undefined ? `${count(records)}, ${t.none}` : t.of(count(records), count(limit))}
            <p class="field-hint">{t.storageText}</p>
          </dd>
        </div>
        <div>
          <dt>{t.uploads}</dt>
          <dd>
            {uploads.megabytes === undefined
              ? `${megabytes(uploads.bytes)}, ${t.none}`
              : t.of(megabytes(uploads.bytes), `${count(uploads.megabytes)} MB`)}
          </dd>
        </div>
        <div>
          <dt>{t.requests}</dt>
          <dd>
            {count(requests.today)},{" "}
            {requests.perMinute === undefined ? t.none : t.perMinute(requests.perMinute)}
          </dd>
        </div>
      </dl>
      <p class="soft">{t.text}</p>
    </>
  );
}

/** Rounded up: a little is not nothing. */
function megabytes(bytes: number): string {
  return `${count(Math.ceil(bytes / MEGABYTE))} MB`;
}
