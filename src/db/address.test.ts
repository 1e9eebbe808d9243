import assert from "node:assert/strict";
import { test } from "node:test";
import { type DatabaseAddress, parseDatabaseUrl } from "./address.ts";

const at = (host: string, port = 5432) => ({ host, port });

test("an address of PostgreSQL is read as libpq reads it", () => {
  const cases: [string, Partial<DatabaseAddress>][] = [
    ["postgres://", { endpoints: [at("localhost")] }],
    ["postgresql://db.example/app", { endpoints: [at("db.example")], database: "app" }],
    [
      "postgres://me:s3cret@db.example:6432/app",
      { endpoints: [at("db.example", 6432)], user: "me", password: "s3cret", database: "app" },
    ],
    ["postgres://me:p%40ss%2Fw%25@h/app", { user: "me", password: "p@ss/w%" }],
    ["postgres://me:p@ss@h/app", { user: "me", password: "p@ss", endpoints: [at("h")] }],
    ["postgres://a:1,b:2,c/app", { endpoints: [at("a", 1), at("b", 2), at("c")] }],
    ["postgres://[::1]:6432,[fe80::2]/app", { endpoints: [at("::1", 6432), at("fe80::2")] }],
    ["postgres://me@/app?host=/run/pg&port=6432", { endpoints: [at("/run/pg", 6432)], user: "me" }],
    ["postgres://%2Frun%2Fpg/app", { endpoints: [at("/run/pg")] }],
    ["postgres:///app?host=a,b&port=1,2", { endpoints: [at("a", 1), at("b", 2)], database: "app" }],
    ["postgres:///app?host=a,b&port=1", { endpoints: [at("a", 1), at("b", 1)] }],
    ["postgres://h/app?user=me&password=x&dbname=other", { user: "me", password: "x", database: "other" }],
    ["postgres://a,b/app?target_session_attrs=read-write", { endpoints: [at("a"), at("b")] }],
    ["postgres://h/app", { sslMode: "prefer" }],
    ["postgres://h/app?sslmode=disable", { sslMode: "disable" }],
    [
      "postgres://h/app?sslmode=verify-full&sslrootcert=/ca.pem",
      { sslMode: "verify-full", sslRootCert: "/ca.pem" },
    ],
    ["postgres://h/app?sslmode=require", { sslMode: "require" }],
    ["postgres://h/app?sslmode=require&sslrootcert=/ca.pem", { sslMode: "verify-ca" }],
    ["postgres://h/app?sslrootcert=system", { sslMode: "verify-full" }],
    ["postgres://h/app?ssl=true", { sslMode: "verify-full" }],
    [
      "postgres://h/app?connect_timeout=3&options=-c%20geqo%3Doff",
      { connectTimeoutMs: 3000, options: "-c geqo=off" },
    ],
    ["postgres://h/app?application_name=x&channel_binding=require", { database: "app" }],
  ];
  for (const [text, expected] of cases) {
    const address = parseDatabaseUrl(text);
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(address[name as keyof DatabaseAddress], value, `${name} of ${text}`);
  }
});

test("a broken address is explained in words that go on after the setting's name, and is never quoted", () => {
  const cases: [string, RegExp][] = [
    ["mysql://h/app", /^must begin with postgres:/],
    ["postgres://h:s3cret/app", /^has a port that is not a number/],
    ["postgres://h:70000/app", /^has a port/],
    ["postgres://me:s3cret#1@h:x/app", /^has a port/],
    ["postgres://me:s3cr%t@h/app", /^has a % that is not followed/],
    ["postgres://h/app?sslmod=verify-full", /^has the parameter "sslmod", which is not known$/],
    ["postgres://me:what?s3cret@h/app", /^has a parameter that is not known$/],
    ["postgres://h/app?sslmode=on", /^must have an sslmode of: disable, allow, prefer/],
    [
      "postgres://h/app?target_session_attrs=standby",
      /^must have target_session_attrs read-write or primary/,
    ],
    ["postgres:///app?host=a,b,c&port=1,2", /^must have one port for all hosts, or one for each$/],
    ["postgres://h/app?connect_timeout=soon", /^has a connect_timeout/],
    ["postgres://[::1/app", /^has a host that cannot be read/],
  ];
  for (const [text, expected] of cases) {
    assert.throws(
      () => parseDatabaseUrl(text),
      (error: Error) => expected.test(error.message) && !error.message.includes("s3cret"),
      text,
    );
  }
});
