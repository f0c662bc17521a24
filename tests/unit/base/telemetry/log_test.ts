/**
 * What a log line looks like.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  silentLogger,
} from "../../../../mod/base/telemetry/log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const START = "2026-01-01T00:00:00.000Z";

function rig(
  format: LogFormat,
  level: LogLevel = "debug",
): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = createLogger({
    level,
    format,
    clock: new FakeClock(Date.parse(START)),
    write: (line) => lines.push(line),
  });
  return { log, lines };
}

function lineOf(format: LogFormat, fields: LogFields): string {
  const { log, lines } = rig(format);
  log.info("seen", fields);
  return lines[0] ?? "";
}

function jsonOf(fields: LogFields): Record<string, unknown> {
  const { time: _t, level: _l, logger: _n, message: _m, ...rest } = JSON.parse(
    lineOf("json", fields),
  );
  return rest;
}

Deno.test("createLogger() writes JSON with the fixed members first", () => {
  const { log, lines } = rig("json");
  log.named("pleg").info("relist_failed", { pod: "default/x", attempt: 2 });
  deepStrictEqual(lines, [
    `{"time":"${START}","level":"info","logger":"pleg","message":"relist_failed","pod":"default/x","attempt":2}`,
  ]);
});

Deno.test("createLogger() writes text with aligned levels", () => {
  const { log, lines } = rig("text");
  const pleg = log.named("pleg");
  pleg.info("relist_failed", {
    pod: "default/x",
    error: new Error("Cannot list", { cause: new Error("refused") }),
  });
  pleg.error("gave_up");
  log.debug("root");
  deepStrictEqual(lines, [
    `${START} INFO  pleg relist_failed pod=default/x error="Cannot list: refused"`,
    `${START} ERROR pleg gave_up`,
    `${START} DEBUG root`,
  ]);
});

Deno.test("createLogger() drops what is below its level", () => {
  const { log, lines } = rig("text", "warn");
  log.debug("no");
  log.info("no");
  log.warn("yes");
  log.error("yes");
  strictEqual(lines.length, 2);
});

Deno.test("Logger.named() joins names with a dot", () => {
  const { log, lines } = rig("text");
  log.named("agent").named("sync").info("begun");
  strictEqual(lines[0], `${START} INFO  agent.sync begun`);
});

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const JSON_FIELDS: readonly (readonly [string, unknown, unknown])[] = [
  ["an error as its chain", new Error("a", { cause: "b" }), "a: b"],
  ["a bigint as a string", 12n, "12"],
  ["a nested bigint as a string", { n: 12n }, { n: "12" }],
  ["a nested error as its chain", [new Error("a")], ["a"]],
  ["NaN as a string", NaN, "NaN"],
  ["null", null, null],
  ["false", false, false],
  ["a date in RFC 3339", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["an invalid date as null", new Date(NaN), null],
  ["a map as an object", new Map([["k", 1]]), { k: 1 }],
  ["a set as an array", new Set([1, 2]), [1, 2]],
  ["bytes by their number", new Uint8Array(3), "3 bytes"],
  ["a symbol by its name", Symbol("s"), "Symbol(s)"],
  ["a lone surrogate replaced", "a\ud800", "a\ufffd"],
];

for (const [what, value, expected] of JSON_FIELDS) {
  Deno.test(`createLogger() writes ${what}`, () => {
    deepStrictEqual(jsonOf({ value }), { value: expected });
  });
}

Deno.test("createLogger() leaves undefined fields out", () => {
  deepStrictEqual(jsonOf({ a: undefined, b: 1 }), { b: 1 });
});

Deno.test("createLogger() keeps its own members from fields of the same name", () => {
  deepStrictEqual(jsonOf({ message: "mine", time: 5 }), {
    message_: "mine",
    time_: 5,
  });
});

Deno.test("createLogger() cuts a value over 2 KiB", () => {
  const { value } = jsonOf({ value: "x".repeat(10_000) });
  ok(typeof value === "string" && value.length === 2049 && value.endsWith("…"));
  const { big } = jsonOf({ big: new Array(5_000).fill(1) });
  ok(typeof big === "string" && big.length === 2049);
});

Deno.test("createLogger() tells when a value cannot be written", () => {
  const hostile = {
    get boom(): never {
      throw new Error("Hostile");
    },
    toJSON: (): never => {
      throw new Error("Hostile too");
    },
  };
  deepStrictEqual(jsonOf(hostile), {
    boom: "Cannot be written: Hostile",
    toJSON: "function toJSON",
  });
  deepStrictEqual(jsonOf({ hostile }), {
    hostile: "Cannot be written: Hostile too",
  });
  ok(String(jsonOf({ circular })["circular"]).startsWith("Cannot be written"));
});

Deno.test("createLogger() does not throw when the writer does", () => {
  const log = createLogger({
    level: "debug",
    format: "json",
    clock: new FakeClock(),
    write: () => {
      throw new Error("Full");
    },
  });
  log.info("lost");
});

Deno.test("createLogger() does not throw on an impossible time", () => {
  const lines: string[] = [];
  const clock = new FakeClock(NaN);
  const log = createLogger({
    level: "debug",
    format: "text",
    clock,
    write: (line) => lines.push(line),
  });
  log.info("when");
  deepStrictEqual(lines, ["unknown INFO  when"]);
});

const TEXT_FIELDS: readonly (readonly [string, unknown, string])[] = [
  ["quotes a space", "a b", '"a b"'],
  ["quotes an equals sign", "a=b", '"a=b"'],
  ["quotes a quote", 'a"b', '"a\\"b"'],
  ["quotes the empty string", "", '""'],
  ["escapes a line feed", "a\nb", '"a\\nb"'],
  ["escapes a terminal sequence", "\u001b[2J\u009b", '"\\u001b[2J\\u009b"'],
  ["escapes a line separator", "\u2028", '"\\u2028"'],
  ["escapes a change of direction", "a\u202eb", '"a\\u202eb"'],
  ["leaves other words bare", "größe/ünï", "größe/ünï"],
  ["shows structures as JSON", { a: [1] }, '{"a":[1]}'],
  ["shows null", null, "null"],
];

for (const [what, value, expected] of TEXT_FIELDS) {
  Deno.test(`createLogger() in text ${what}`, () => {
    strictEqual(
      lineOf("text", { v: value }),
      `${START} INFO  seen v=${expected}`,
    );
  });
}

Deno.test("createLogger() in JSON escapes what a terminal may obey", () => {
  const line = lineOf("json", { v: "\u009b2J\u202e" });
  ok(line.includes(String.raw`"v":"\u009b2J\u202e"`), line);
});

Deno.test("createLogger() writes one line whatever the fields", () => {
  fc.assert(fc.property(
    fc.dictionary(
      fc.string({ unit: "binary" }),
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
      }),
    ),
    fc.string({ unit: "binary" }),
    (fields, message) => {
      for (const format of ["json", "text"] as const) {
        const { log, lines } = rig(format);
        log.info(message, fields);
        strictEqual(lines.length, 1);
        const line = lines[0] ?? "";
        ok(!/[\r\n]/.test(line) && line.isWellFormed());
        if (format === "json") JSON.parse(line);
      }
    },
  ));
});

Deno.test("silentLogger says nothing under any name", () => {
  silentLogger.named("x").error("unheard", { field: 1 });
  strictEqual(silentLogger.named("x"), silentLogger);
});
