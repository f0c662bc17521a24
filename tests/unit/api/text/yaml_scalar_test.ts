/**
 * @module
 */

import { strictEqual, throws } from "node:assert/strict";
import {
  resolvePlain,
  resolveTagged,
} from "../../../../mod/api/text/yaml_scalar.ts";

// What go-yaml v2 makes of plain scalars, as sigs.k8s.io/yaml hands them on.
const PLAIN: readonly [string, string | number | bigint | boolean | null][] = [
  ["", null],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["nULL", "nULL"],
  ["y", true],
  ["Y", true],
  ["yes", true],
  ["Yes", true],
  ["YES", true],
  ["yEs", "yEs"],
  ["on", true],
  ["On", true],
  ["ON", true],
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["n", false],
  ["no", false],
  ["off", false],
  ["Off", false],
  ["false", false],
  ["FALSE", false],
  ["yellow", "yellow"],
  ["nothing", "nothing"],
  ["0644", 420],
  ["0o644", 420],
  ["0O17", 15],
  ["012", 10],
  ["09", 9],
  ["0x1F", 31],
  ["-0x1f", -31],
  ["0b101", 5],
  ["0", 0],
  ["-0", 0],
  ["+5", 5],
  ["-7", -7],
  ["1_000", 1000],
  ["1_0_8_0", 1080],
  ["_1", "_1"],
  ["1e3", 1000],
  ["1e+3", 1000],
  ["1.", 1],
  [".5", 0.5],
  ["-.5", -0.5],
  ["._1", "._1"],
  ["1.5.3", "1.5.3"],
  ["1e", "1e"],
  ["0x", "0x"],
  ["22:22", "22:22"],
  ["190:20:30", "190:20:30"],
  ["2024-01-02", "2024-01-02"],
  ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
  ["10.1.2.3", "10.1.2.3"],
  ["-", "-"],
  ["+", "+"],
  [".", "."],
  ["..", ".."],
  ["1Gi", "1Gi"],
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -(2n ** 63n)],
  ["0x7fffffffffffffff", 2n ** 63n - 1n],
  ["1e400", "1e400"],
  [".inf", Infinity],
  ["-.Inf", -Infinity],
  ["+.INF", Infinity],
  ["inf", "inf"],
  ["nan", "nan"],
  ["<<", "<<"],
];

for (const [text, expected] of PLAIN) {
  Deno.test(`resolvePlain() takes ${JSON.stringify(text)} for ${typeof expected} ${expected}`, () => {
    strictEqual(resolvePlain(text), expected);
  });
}

Deno.test("resolvePlain() takes .nan for a number that is none", () => {
  strictEqual(Number.isNaN(resolvePlain(".nan")), true);
});

const TAGGED: readonly [string, string, string | number | boolean | null][] = [
  ["!!str", "0644", "0644"],
  ["!", "yes", "yes"],
  ["!<tag:yaml.org,2002:str>", "1", "1"],
  ["!!int", "0644", 420],
  ["!!float", "1", 1],
  ["!!bool", "yes", true],
  ["!!null", "", null],
  ["!!timestamp", "2001-12-14", "2001-12-14"],
  ["!!binary", "aGVsbG8=", "hello"],
  ["!!binary", "aGVs\nbG8=\n", "hello"],
  ["!!binary", "/w==", "\uFFFD"],
];

for (const [tag, text, expected] of TAGGED) {
  Deno.test(`resolveTagged() reads ${tag} ${JSON.stringify(text)}`, () => {
    strictEqual(resolveTagged(tag, text), expected);
  });
}

const REFUSED: readonly [string, string][] = [
  ["!!js/function", "function () {}"],
  ["!!python/object:os.system", "x"],
  ["!custom", "x"],
  ["!!set", ""],
  ["!<tag:example.com,2000:x>", "x"],
  ["!!int", "x"],
  ["!!int", "1.5"],
  ["!!bool", "1"],
  ["!!null", "x"],
  ["!!binary", "not base64!"],
  ["!!binary", "abc"],
];

for (const [tag, text] of REFUSED) {
  Deno.test(`resolveTagged() refuses ${tag} ${JSON.stringify(text)}`, () => {
    throws(() => resolveTagged(tag, text), SyntaxError);
  });
}
