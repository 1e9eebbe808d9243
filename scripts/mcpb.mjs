// Makes rollbook.mcpb, which Claude Desktop and others install with a double click: it asks for the address of a server and a key.
// `npm run mcpb`, or with another path for the file.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const ENTRY = "server/index.mjs";

const manifest = {
  manifest_version: "0.3",
  name: "rollbook",
  display_name: "Rollbook",
  version,
  description:
    "Look things up in a studio's clients, contracts and timetable, and correct clients if you let it.",
  author: { name: "Rollbook" },
  license,
  server: {
    type: "node",
    entry_point: ENTRY,
    mcp_config: {
      command: "node",
      args: [`\${__dirname}/${ENTRY}`],
      env: {
        ROLLBOOK_URL: settingOf("url"),
        ROLLBOOK_KEY: settingOf("key"),
        ROLLBOOK_WRITE: settingOf("write"),
      },
    },
  },
  tools_generated: true,
  compatibility: { runtimes: { node: ">=20.19.0" } },
  user_config: {
    url: {
      type: "string",
      title: "Address",
      description: "Of the Rollbook server, such as https://rollbook.example.com",
      required: true,
    },
    key: {
      type: "string",
      title: "API key",
      description: "A key of its own for this assistant, so that you can end it alone",
      sensitive: true,
      required: true,
    },
    write: {
      type: "boolean",
      title: "May write",
      description: "Let the assistant also create, change and archive clients",
      default: false,
    },
  },
};

const { outputFiles } = await build({
  entryPoints: [join(root, "scripts/mcpb-server.mjs")],
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  write: false,
});
const path = process.argv[2] ?? "rollbook.mcpb";
writeFileSync(
  path,
  zipOf({
    "manifest.json": `${JSON.stringify(manifest, null, 2)}\n`,
    [ENTRY]: outputFiles[0].text,
    LICENSE: readFileSync(join(root, "LICENSE"), "utf8"),
  }),
);
console.log(path);

/** What somebody has answered is put in its place when the program is started. */
function settingOf(name) {
  return `\${user_config.${name}}`;
}

/** A ZIP archive of texts: each with its header, then the list of them. */
function zipOf(texts) {
  const files = [];
  const list = [];
  let offset = 0;
  for (const [name, text] of Object.entries(texts)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    // Version 2.0, names in UTF-8, deflated, 1980-01-01.
    const about = Buffer.alloc(26);
    for (const [at, value] of [20, 0x0800, 8, 0, 0x21].entries()) about.writeUInt16LE(value, 2 * at);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(Buffer.byteLength(name), 22);
    files.push(Buffer.from("PK\x03\x04"), about, Buffer.from(name), packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    list.push(Buffer.from("PK\x01\x02\x14\0"), about, place, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(list);
  const count = Object.keys(texts).length;
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, directory, Buffer.from("PK\x05\x06"), end]);
}
