/**
 * What single settings may be, and what they come to.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  choice,
  commaList,
  type Decoder,
  durationMs,
  durationOrNanosMs,
  endpoint,
  givenPath,
  hugePageSize,
  integer,
  ipAddresses,
  labels,
  mapOf,
  nodeName,
  number,
  numberText,
  path,
  podNetwork,
  podNetworks,
  reserved,
  single,
  sysctlPattern,
  text,
  verbosityLevel,
} from "../../../mod/config/decoders.ts";
import { flagValue } from "../../../mod/config/flags.ts";
import { optionOf } from "../../../mod/config/setting.ts";
import { SETTINGS } from "../../../mod/config/settings.ts";
import {
  signalAmounts,
  signalDurations,
} from "../../../mod/config/signal_decoders.ts";
import { byteSize, logSize } from "../../../mod/config/size_decoders.ts";

const LONGEST = `${"a".repeat(251)}.b`;

type Row = readonly [given: unknown, decoded?: unknown];

/** What each decoder makes of a value; nothing behind it where it refuses. */
const ROWS: readonly (readonly [string, Decoder<unknown>, readonly Row[]])[] = [
  ["text", text, [["", ""], [" a ", " a "], [5], [null]]],
  ["number", number, [[0.5, 0.5], [-1, -1], [NaN], [Infinity], ["1"], [true]]],
  ["integer", integer(1, 3), [[0], [1, 1], [3, 3], [4], [1.5], ["2"]]],
  ["numberText", numberText(integer(-5)), [
    ["-5", -5],
    ["07", 7],
    ["-6"],
    ["1.0"],
    ["0x1"],
    [" 1"],
    [""],
    [1],
  ]],
  ["verbosityLevel", verbosityLevel, [[0, ""], [3, ""], [4, "debug"], [-1]]],
  ["durationMs", durationMs, [["0s", 0], ["1us", 0.001], ["-1s"], [1]]],
  ["durationOrNanosMs", durationOrNanosMs, [
    [5_000_000_000, 5_000],
    [1_500, 0.0015],
    ["2s", 2_000],
    ["x"],
    [true],
  ]],
  ["path", path, [["", ""], ["a/../b", "/base/b"], ["/x/", "/x"], ["a\0b"]]],
  ["givenPath", givenPath, [["x", "/base/x"], ["/x", "/x"], [""], ["\0"]]],
  ["endpoint", endpoint, [
    ["", ""],
    ["unix:///run/../x.sock", "/x.sock"],
    ["unix:/x", "/x"],
    ["/x", "/x"],
    ["x"],
    ["/a\0b"],
    [5],
  ]],
  ["ipAddresses", ipAddresses, [
    ["10.0.0.1", ["10.0.0.1"]],
    [" 10.0.0.1 , fd00::1 ", ["10.0.0.1", "fd00::1"]],
    ["10.0.0.1,x"],
    ["10.0.0.1,10.0.0.2,10.0.0.3"],
  ]],
  ["podNetwork", podNetwork, [
    [" 10.1.0.0/16 ", "10.1.0.0/16"],
    ["10.0.0.0/08", "10.0.0.0/8"],
    ["128.0.0.0/1", "128.0.0.0/1"],
    ["10.1.0.0/0"],
    ["10.1.0.0"],
    ["::/0"],
    ["x/8"],
  ]],
  ["podNetworks", podNetworks, [
    ["10.1.0.0/16,,fd00::/64,", ["10.1.0.0/16", "fd00::/64"]],
    ["", []],
    ["10.1.0.0/16,x"],
  ]],
  ["nodeName", nodeName, [
    [" Edge-1.Example ", "edge-1.example"],
    [LONGEST, LONGEST],
    [`${LONGEST}b`],
    ["a_b"],
    ["-a"],
    [""],
  ]],
  ["choice", choice(["a", "b"]), [["a", "a"], ["b", "b"], ["c"], [["a"]]]],
  ["single", single(text), [["a", ["a"]], [5]]],
  ["commaList", commaList(text), [["a, ,b", ["a", "b"]], [","], [""], [[]]]],
  ["mapOf", mapOf(text), [
    [{}, {}],
    [{ a: "1", b: "2" }, { a: "1", b: "2" }],
    [{ a: "1", b: 2 }],
    [["a"]],
    ["a"],
  ]],
  ["labels", labels, [
    ["a=b,c.d/e=f", { a: "b", "c.d/e": "f" }],
    [" a = b ,, c=", { a: "b", c: "" }],
    ["a=b=c"],
    ["", {}],
    [{ a: "b" }, { a: "b" }],
    [{ a: "b", c: "-" }],
    ["a"],
    ["=a"],
    ["a=b,c"],
    ["-a=b"],
    ["/a=b"],
    ["a/=b"],
    ["-a/b=c"],
    ["a/-b=c"],
    ["a/b/c=d"],
    [`${"a".repeat(63)}=b`, { ["a".repeat(63)]: "b" }],
    [`${"a".repeat(64)}=b`],
    [5],
  ]],
  ["reserved", reserved, [
    ["cpu=0,memory=1Gi", { cpu: "0", memory: "1Gi" }],
    ["cpu=-1"],
    ["cpu=x"],
    ["cpu="],
    ["gpu=1"],
    ["=1"],
    ["cpu"],
  ]],
  ["hugePageSize", hugePageSize, [
    ["2Mi", "2Mi"],
    ["1Gi", "1Gi"],
    ["2M"],
    ["0Mi"],
    ["Mi"],
    [2],
  ]],
  ["sysctlPattern", sysctlPattern, [
    [`net.${"a".repeat(249)}`, `net.${"a".repeat(249)}`],
    [`net.${"a".repeat(250)}`],
    ["net.*", "net.*"],
    ["*"],
    [""],
  ]],
  ["signalAmounts", signalAmounts, [
    ["a<1, b=2,,c<=3", { a: "1", b: "2", c: "=3" }],
    [" a < 1 ", { a: "1" }],
    ["", {}],
    [{ a: "1" }, { a: "1" }],
    ["a"],
    ["<1"],
    ["a<1,b"],
    [{ a: 1 }],
    [5],
  ]],
  ["signalDurations", signalDurations, [
    ["a=1m,b<c=2s", { a: "1m", "b<c": "2s" }],
    ["a<1m"],
  ]],
  ["byteSize", byteSize, [
    ["2Gi", 2 ** 31],
    ["1500m", 2],
    [1, 1],
    ["1n", 1],
    ["0"],
    [0],
    ["-1"],
    ["x"],
    [true],
  ]],
  ["logSize", logSize, [
    ["2Gi", 2 ** 31],
    ["-1n", Infinity],
    ["0"],
    [-5, Infinity],
    [null],
  ]],
];

for (const [name, decoder, rows] of ROWS) {
  for (const [given, ...decoded] of rows) {
    const shown = JSON.stringify(given)?.slice(0, 50);
    Deno.test(`${name} decodes ${shown} ${decoded.length === 0 ? "to nothing" : "to a value"}`, () => {
      deepStrictEqual(decoder.decode(given, "/base"), decoded[0]);
    });
  }
}

for (
  const [rawName, value, inlineValue, wanted] of [
    ["--name", "x", false, "x"],
    ["--name", undefined, undefined, undefined],
    ["--name", "", true, ""],
    ["--name", "-x", true, "-x"],
    ["--name", "--other", false, undefined],
    ["--name", "-o", false, undefined],
    // A number, and the hyphen that stands for standard input, are no flags.
    ["--name", "-1", false, "-1"],
    ["--name", "-", false, "-"],
    ["-n", "=x", true, "x"],
    ["-n", "x", true, "x"],
    ["-n", "=x", false, "=x"],
    ["-n", "-x", false, undefined],
    ["--name", "=x", true, "=x"],
  ] as const
) {
  Deno.test(`flagValue() of ${rawName} and ${value} is ${wanted}`, () => {
    deepStrictEqual(flagValue({ rawName, value, inlineValue }), wanted);
  });
}

Deno.test("optionOf() names the flag, else the agent's own field, else the kubelet's", () => {
  deepStrictEqual(
    [
      SETTINGS.node.podNetworks,
      SETTINGS.log.level,
      SETTINGS.sync.relistPeriodMs,
      SETTINGS.sync.syncFrequencyMs,
      {},
    ].map((setting) => optionOf(setting)),
    ["--pod-network", "logLevel", "relistPeriod", "syncFrequency", ""],
  );
});
