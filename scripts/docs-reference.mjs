// The reference of the API as Markdown pages, made from its document: an overview, a page for each tag, and one of webhooks.
import { nameOf } from "./client-document.mjs";
import { snippetsOf } from "./docs-snippets.mjs";
import { writtenOut } from "./openapi-document.mjs";

const PROBLEM = "application/problem+json";
const ERRORS = "/docs/errors";

/**
 * Pages by their names below `/docs/`, as `{ name, title, text }`. `files` has the examples of files by the last part of their
 * address.
 */
export function referencePages(published, files) {
  const document = writtenOut(published);
  const { schemas } = document.components;
  const snippets = snippetsOf(document);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const pages = document.tags.map((tag) => ({ tag, name: `reference/${slug(tag.name)}` }));
  const pageOf = (operation) => pages.find(({ tag }) => tag.name === operation.tags[0]).name;
  const homes = homesOf();
  const { members, link, typeOf } = objectsOf(schemas, homes);

  return [
    { name: "reference/overview", title: "The API at a glance", text: overview() },
    ...pages.map(({ tag, name }) => ({ name, title: tag.name, text: tagPage(tag, name) })),
    ...(document.webhooks ? [{ name: WEBHOOKS, title: "Webhook events", text: webhookPage() }] : []),
  ];

  function overview() {
    return lines(
      "# The API at a glance",
      document.info.description,
      "For tools: [openapi.json](/openapi.json), [openapi.yaml](/openapi.yaml), the same with failures in " +
        "[Portuguese](/openapi.pt-BR.json) and [Spanish](/openapi.es.json), a " +
        "[collection for Postman and Bruno](/docs/rollbook.postman_collection.json), and [llms.txt](/llms.txt).",
      "## Operations",
      table(
        ["Operation", "Address", "What it does"],
        operations.map((operation) => [
          `[${operation.operationId}](/docs/${pageOf(operation)}#${operation.operationId})`,
          `\`${operation.method.toUpperCase()} ${operation.path}\``,
          operation.summary,
        ]),
      ),
      "## Headers of answers",
      table(
        ["Header", "Meaning"],
        Object.entries(document.components.headers).map(([name, { description }]) => [
          `\`${name}\``,
          description,
        ]),
      ),
    );
  }

  function tagPage(tag, page) {
    const own = operations.filter(({ tags }) => tags[0] === tag.name);
    return lines(
      `# ${tag.name}`,
      tag.description,
      ...own.flatMap((operation) => operationSection(operation)),
      ...objectSections(page),
    );
  }

  function operationSection(operation) {
    const {
      operationId,
      method,
      path,
      summary,
      description,
      parameters = [],
      requestBody,
      responses,
    } = operation;
    const { shell, typescript, python, query } = snippets.get(operationId);
    const [status, success] = Object.entries(responses).find(([code]) => code.startsWith("2"));
    return [
      `## ${summary} {#${operationId}}`,
      `\`${method.toUpperCase()} ${path}\` · \`${operationId}\`${operation.deprecated ? " · **deprecated**" : ""}`,
      description,
      `{try ${operationId}}`,
      fence("sh", shell),
      fence("ts", typescript),
      fence("python", python),
      ...(parameters.length > 0
        ? [
            "### Parameters",
            table(
              ["Name", "In", "Type", "Meaning"],
              parameters.map(({ name, in: place, required, description: meaning, schema }) => [
                `\`${name}\`${required ? " (required)" : ""}`,
                place,
                typeOf(schema),
                [meaning, boundsOf(schema)].filter(Boolean).join(" "),
              ]),
            ),
          ]
        : []),
      ...(requestBody
        ? Object.entries(requestBody.content).flatMap(([type, { schema, example }], at) =>
            at > 0
              ? [`\`${type}\` is taken for the same.`]
              : [
                  "### Body",
                  `${link(schema)} as \`${type}\`. ${requestBody.description ?? ""}`,
                  fence("json", JSON.stringify(example, null, 2)),
                ],
          )
        : []),
      `### Answer ${status}`,
      [success.description, success.content && link(Object.values(success.content)[0].schema)]
        .filter(Boolean)
        .join(" "),
      ...Object.entries(success.content ?? {}).flatMap(([type, content]) =>
        answerExample(type, content, query.include),
      ),
      `Headers ([what they mean](/docs/reference/overview#headers-of-answers)): ${Object.keys(
        success.headers ?? {},
      )
        .map((name) => `\`${name}\``)
        .join(", ")}.`,
      "### Other answers",
      table(
        ["Status", "`code`", "When"],
        Object.entries(responses)
          .filter(([code]) => code !== status)
          .flatMap(([code, response]) => failureRows(code, response)),
      ),
    ];
  }

  function answerExample(type, { schema, example, "x-externalValue": address }, include) {
    if (type === "application/json") {
      const shown = include ? withIncluded(example, schemas[nameOf(schema)], include) : example;
      return [fence("json", JSON.stringify(shown, null, 2))];
    }
    const text = files.get(address?.split("/").at(-1));
    return text === undefined ? [] : [`With \`Accept: ${type}\`:`, fence("", text.trimEnd())];
  }

  /** The example of a list with what the shown request asks for beside: "With `include=names`: …". */
  function withIncluded(page, { properties }, include) {
    const record = schemas[nameOf(properties.data.items)];
    const added = Object.entries(record.properties)
      .filter(([, { description }]) => description?.startsWith(`With \`include=${include}\``))
      .map(([name, { examples }]) => [name, examples[0]]);
    return { ...page, data: page.data.map((one) => ({ ...one, ...Object.fromEntries(added) })) };
  }

  function failureRows(status, { description, content }) {
    const codes = Object.keys(content?.[PROBLEM]?.examples ?? {});
    if (codes.length === 0) return [[status, "", description]];
    const causes = description.split(/\s*`(\w+)`:\s*/).slice(1);
    return codes.map((code) => [
      status,
      `[\`${code}\`](${ERRORS}#${code})`,
      codes.length === 1 ? description : causes[causes.indexOf(code) + 1],
    ]);
  }

  function webhookPage() {
    const events = Object.entries(document.webhooks);
    return lines(
      "# Webhook events",
      "What is sent to the addresses that an owner has named, each event as one `POST`, signed as Standard Webhooks 1.0 says. " +
        "How to receive them is in [Receive webhooks](/docs/receive-webhooks).",
      table(
        ["Event", "When", "Message"],
        events.map(([name, { post }]) => [
          `\`${name}\``,
          post.summary,
          link(post.requestBody.content["application/json"].schema),
        ]),
      ),
      "Answer with any status of 2xx within 15 seconds. 410 ends the sending; any other answer is tried again later.",
      ...objectSections(WEBHOOKS),
    );
  }

  /** Each schema with the page that shows it: the first that needs it. */
  function homesOf() {
    const found = new Map([["Problem", "errors"]]);
    const visit = (part, page) => {
      if (typeof part !== "object" || part === null) return;
      const name =
        typeof part.$ref === "string" && part.$ref.includes("/schemas/") ? nameOf(part) : undefined;
      if (name !== undefined && !found.has(name)) {
        found.set(name, page);
        visit(schemas[name], page);
      }
      for (const inner of Object.values(part)) visit(inner, page);
    };
    for (const operation of operations) {
      visit(operation.requestBody, pageOf(operation));
      for (const [status, response] of Object.entries(operation.responses))
        if (status.startsWith("2")) visit(response, pageOf(operation));
    }
    visit(document.webhooks ?? {}, WEBHOOKS);
    return found;
  }

  function objectSections(page) {
    const own = [...homes].filter(([, home]) => home === page).map(([name]) => name);
    if (own.length === 0) return [];
    return ["## Objects", ...own.flatMap((name) => [`### ${name} {#${name}}`, members(name)])];
  }
}

/** The members of one object, as its own page shows them. */
export function objectTable(published, name) {
  return objectsOf(writtenOut(published).components.schemas).members(name);
}

const WEBHOOKS = "reference/webhooks";

/** How objects are shown: `homes` has the page of each, by its name. */
function objectsOf(schemas, homes = new Map()) {
  /** What it is, and a table of its members. */
  function members(name) {
    const schema = schemas[name];
    return lines(schema.description, table(["Member", "Type", "Meaning"], memberRows(schema, ""))).trim();
  }

  /** A row for each member, those of nested objects with a dot. */
  function memberRows({ properties = {}, required = [] }, prefix) {
    return Object.entries(properties).flatMap(([name, member]) => {
      const path = `${prefix}${name}`;
      const items = member.type === "array" ? member.items : undefined;
      const meaning = member.description ?? schemas[nameOf(member)]?.description;
      return [
        [
          `\`${path}\`${required.includes(name) ? "" : " ?"}`,
          typeOf(member),
          [meaning, boundsOf(member)].filter(Boolean).join(" "),
        ],
        ...(member.properties ? memberRows(member, `${path}.`) : []),
        ...(items?.properties ? memberRows(items, `${path}[].`) : []),
      ];
    });
  }

  function link(schema) {
    const name = nameOf(schema);
    if (name === undefined) return typeOf(schema);
    const home = homes.get(name);
    return home ? `[${name}](/docs/${home}#${name})` : name;
  }

  function typeOf(schema) {
    if (schema.$ref) return link(schema);
    if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return choices.map(typeOf).join(" or ");
    return [schema.type]
      .flat()
      .filter(Boolean)
      .map((type) => {
        if (type === "array") return `list of ${typeOf(schema.items ?? {})}`;
        return type === "string" && schema.format ? schema.format : type;
      })
      .join(" or ");
  }

  return { members, link, typeOf };
}

/** What a value must keep to beside its type, in words. */
function boundsOf({ type, minLength, maxLength, minimum, maximum, minItems, maxItems, default: value }) {
  const isNumber = [type].flat().includes("integer");
  const most = isNumber && maximum !== undefined && maximum < 2 ** 31 - 1;
  return [
    most && `${minimum} to ${maximum}.`,
    !isNumber &&
      maxLength !== undefined &&
      `${minLength ? `${minLength} to ` : "At most "}${maxLength} characters.`,
    maxItems !== undefined && `${minItems ? `${minItems} to ` : "At most "}${maxItems}.`,
    value !== undefined && `\`${value}\` if absent.`,
  ]
    .filter(Boolean)
    .join(" ");
}

export function table(header, body) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...body.map(line)].join("\n");
}

function fence(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export function lines(...blocks) {
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function slug(name) {
  return name.toLowerCase().replaceAll(" ", "-");
}
