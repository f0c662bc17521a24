/**
 * Which regular expressions are told to take the square of their input.
 *
 * @module
 */

import { match, strictEqual } from "node:assert/strict";
import { judgeRegexp } from "../../../scripts/tidy/regexps.ts";

const RIVALS = /^two of its quantifiers/;

const SLOW: readonly (readonly [what: string, literal: string])[] = [
  // Once 65,000 blanks took 2.7 s.
  [
    "blanks that are status and reason",
    String
      .raw`/^HTTP\/(\d)\.(\d) +(\S*)(?: .*)?$/`,
  ],
  // Item 27: a line of blanks in the message of an error.
  [
    "blanks on both sides of an optional end of line",
    String
      .raw`/\s*[\r\n]+\s*/g`,
  ],
  [
    "digits with an optional point between them",
    String
      .raw`/^(\d*)\.?(\d*)$/`,
  ],
  ["a tail that can begin anywhere", String.raw`/\/+$/`],
  ["a tail behind what it can match itself", String.raw`/a.*b$/`],
  ["a loop in a loop", String.raw`/^(?:\w+\s?)*$/`],
  ["a loop of single characters in a loop", String.raw`/^(a*)*$/`],
  ["two loops of groups", String.raw`/^(?:ab)*(?:ba|ab)*$/`],
  ["the same again behind another that may be empty", String.raw`/^a*b*a*$/`],
  ["a count of more than a few", String.raw`/^a{1,1000}a{1,1000}$/`],
  ["a line that can begin anywhere", String.raw`/^\s+x/m`],
  ["letters in any case", String.raw`/^[a-f]*[A-F]*$/i`],
];
for (const [what, literal] of SLOW) {
  Deno.test(`judgeRegexp() refuses ${what}: ${literal}`, () => {
    match(judgeRegexp(literal) ?? "", RIVALS);
  });
}

for (
  const [literal, why] of [
    [String.raw`/^(.*: |)(.+) \(\2\)$/`, /a reference back/],
    [String.raw`/^(?=.*x)y/`, /a look ahead/],
    [String.raw`/^(?<name>x)$/`, /a named group/],
    [`/^${"(?:a|b)".repeat(13)}$/`, /too many/],
  ] as const
) {
  Deno.test(`judgeRegexp() does not let ${literal.slice(0, 40)} pass unseen`, () => {
    match(judgeRegexp(literal) ?? "", why);
  });
}

const GOOD: readonly string[] = [
  String
    .raw`/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/`,
  String.raw`/^(\d*)(?:\.(\d*))?$/`,
  String.raw`/^(.*) \(os error \d+\)$/s`,
  String.raw`/\s+/g`,
  String.raw`/^\s*\{/`,
  String.raw`/"([^"]*)"$/`,
  String.raw`/"hostId":(\d{5,10})\b/`,
  String.raw`/[ \t]*(?:#[^\n]*)?(?:\n|$)/y`,
  String.raw`/^(?:a|b)+$/`,
  String.raw`/[\p{L}\]\x41\u{1f600}]+/gu`,
  String.raw`/^v?(\d+)\.(\d+)/`,
];
for (const literal of GOOD) {
  Deno.test(`judgeRegexp() lets ${literal} pass`, () => {
    strictEqual(judgeRegexp(literal), undefined);
  });
}
