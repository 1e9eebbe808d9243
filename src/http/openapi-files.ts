import type { TSchema } from "typebox";
import { csvText, type FileText, ndjsonText } from "../core/file-text.ts";
import Type from "../core/schema-type.ts";
import { type ApiDocument, componentName, type Operation } from "./declaration.ts";
import { columnsOf } from "./downloads.ts";
import { DOWNLOAD_TYPES, type DownloadType } from "./negotiation.ts";
import { exampleOf, type Json, refer } from "./openapi-schemas.ts";

/** The files that lists can be had as, in a document and beside it: examples of them are no JSON. */

const SCHEMAS: Readonly<Record<DownloadType, TSchema>> = {
  "text/csv": Type.String({
    $id: "CsvFile",
    description:
      "Every record that the filters match, whatever the page: a line of names, then a line for each record.",
  }),
  "application/x-ndjson": Type.String({
    $id: "NdjsonFile",
    description: "Every record that the filters match, whatever the page, one a line as JSON.",
  }),
};

const ENDINGS: Readonly<Record<DownloadType, string>> = {
  "text/csv": "csv",
  "application/x-ndjson": "ndjson",
};

/** The media types of an operation's files, each with the address of an example. */
export function describeFiles(operation: Operation, components: Json): Json {
  return Object.fromEntries(
    typesOf(operation).map((type) => {
      // After the address of the document. As `externalValue` of an example, generators would look for it as a file beside a
      // document that was saved, and fail.
      const address = `examples/${fileName(operation, type)}`;
      return [type, { schema: refer(SCHEMAS[type], components), "x-externalValue": address }];
    }),
  );
}

/** Each example by the name that it has below `/examples/`: the example of the list as its only record. */
export function fileExamples({ operations }: ApiDocument): Map<string, { type: DownloadType; text: string }> {
  return new Map(
    operations.flatMap((operation) =>
      typesOf(operation).map((type) => [
        fileName(operation, type),
        { type, text: exampleText(operation, type) },
      ]),
    ),
  );
}

/** The schemas of files that a document refers to, by name. */
export function fileSchemas({ operations }: ApiDocument): [name: string, schema: TSchema][] {
  const types = new Set(operations.flatMap((operation) => typesOf(operation)));
  return [...types].map((type) => [componentName(SCHEMAS[type]) ?? type, SCHEMAS[type]]);
}

function typesOf({ download }: Operation): readonly DownloadType[] {
  return download ? (download.types ?? DOWNLOAD_TYPES) : [];
}

function fileName({ operationId }: Operation, type: DownloadType): string {
  return `${operationId}.${ENDINGS[type]}`;
}

function exampleText({ download, answer }: Operation, type: DownloadType): string {
  if (!download || !answer.schema) throw new Error("only lists are files");
  const [record] = (exampleOf(answer.schema) as { data: object[] }).data;
  const file = ({ head, line }: FileText, more?: object) =>
    head + line({ ...record, ...download.example, ...more });
  return type === "text/csv"
    ? file(csvText(download.record, columnsOf(download, {}), "plain"), download.csvExample)
    : file(ndjsonText(download.record));
}
