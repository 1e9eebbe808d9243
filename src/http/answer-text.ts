import type { TSchema } from "typebox";
import { compileBody, compileLongBody } from "../core/render.ts";
import type { AboutApi } from "./about-api.ts";
import { type ApiDocument, componentName, type Operation } from "./declaration.ts";
import { recordTag } from "./entity-tags.ts";
import type { AnswerForm } from "./sending.ts";

/** What the answers of one operation look like: made once, when it is declared. */
export interface AnswerText {
  readonly form: AnswerForm;
  /** What `Link` says of the schema of the body, and of what to use instead. */
  readonly link: string | undefined;
  /** What a body that writes itself begins with. */
  readonly opening: string;
  /** Writes the body; an operation without one is answered by its status alone. */
  readonly render: ((content: unknown) => string) | undefined;
  /** The same, but a long one in pieces. */
  readonly renderLong: ((content: unknown) => string | Iterable<string>) | undefined;
  /** Where the record that is answered can be read. */
  readonly locate: ((content: unknown) => string) | undefined;
  /** The tag that the record of the operation has when it is read by its id. */
  readonly recordTag: (record: object) => string;
}

export function compileAnswerText(
  document: ApiDocument,
  {
    method,
    path,
    answer,
    etag,
    record,
    deprecated,
  }: Pick<Operation, "method" | "path" | "answer" | "etag" | "record" | "deprecated">,
): AnswerText {
  const { status, schema, location } = answer;
  const url = schemaUrl(document, schema);
  const { about } = document;
  return {
    form: {
      status,
      route: path.replace(/\{(\w+)\}/g, ":$1"),
      ...(method === "GET"
        ? { vary: varyText(about), isKept: isKept(about) && etag !== undefined }
        : { vary: undefined, isKept: false }),
      ...(deprecated && { deprecation: `@${Math.floor(Date.parse(deprecated.since) / 1000)}` }),
    },
    link: linkText([
      ...(url === undefined ? [] : [`<${url}>; rel="describedBy"`]),
      ...(deprecated
        ? [`<${document.publicUrl}${deprecated.page}>; rel="deprecation"; type="text/html"`]
        : []),
    ]),
    opening: `{"$schema":${JSON.stringify(url)},`,
    render: schema && url !== undefined ? compileBody(schema, url) : undefined,
    renderLong: schema && url !== undefined ? compileLongBody(schema, url) : undefined,
    locate: location === undefined ? undefined : compileLocation(document.publicUrl + location),
    recordTag: compileRecordTag(document, record ?? schema),
  };
}

/** The request headers that answers to reads vary by. */
export function varyText({ security }: Pick<AboutApi, "security">): string {
  return `${security.header}, Accept, Accept-Encoding`;
}

/** Whether callers may keep what they read. A browser may not: whoever uses it after somebody has signed out would find it. */
export function isKept({ security }: Pick<AboutApi, "security">): boolean {
  return security.header !== "Cookie";
}

function linkText(links: readonly string[]): string | undefined {
  return links.length > 0 ? links.join(", ") : undefined;
}

function compileRecordTag(document: ApiDocument, schema: TSchema | undefined): (record: object) => string {
  const url = schemaUrl(document, schema);
  if (!schema || url === undefined) return () => "";
  const render = compileBody(schema, url);
  return (record) => recordTag(render(record));
}

function schemaUrl(document: ApiDocument, schema: TSchema | undefined): string | undefined {
  const name = schema && componentName(schema);
  return name === undefined ? undefined : document.schemaUrl(name);
}

function compileLocation(template: string): (record: unknown) => string {
  return (record) =>
    template.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String((record as Record<string, unknown>)[name])),
    );
}
