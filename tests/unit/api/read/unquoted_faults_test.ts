/**
 * What is said of a text that cannot be read and that mentions a Secret.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { readDocuments } from "../../../../mod/api/read/decode_text.ts";

const HUSHED = "(the text is not shown, since the file holds a Secret)";

/** The text, what is said of it beside a Secret, and what without one, if that differs. */
const ROWS: readonly (readonly [string, string, string?])[] = [
  [
    "a: *pw",
    `Invalid value: no anchor ${HUSHED}`,
    'Invalid value: no anchor "pw" before this alias',
  ],
  [
    "a: &pw [*pw]",
    `Invalid value: anchor ${HUSHED}`,
    'Invalid value: anchor "pw" contains itself',
  ],
  [
    "a: !pw 1",
    `Unsupported value: tag ${HUSHED}`,
    'Unsupported value: tag "!pw"',
  ],
  [
    "a: !pw {b: 1}",
    `Unsupported value: tag ${HUSHED}`,
    'Unsupported value: tag "!pw"',
  ],
  [
    "a: !!int pw",
    `Invalid value: ${HUSHED}`,
    'Invalid value: "pw" does not fit the tag "!!int"',
  ],
  ["a: !!binary pw", "Invalid value: !!binary wants base64"],
  [
    "a: !pw!b c",
    `Invalid value: not valid YAML: undeclared tag handle ${HUSHED}`,
    'Invalid value: not valid YAML: undeclared tag handle "!pw!"',
  ],
  [
    "a: !pw<b> c",
    `Invalid value: not valid YAML: tag name cannot contain such characters ${HUSHED}`,
    "Invalid value: not valid YAML: tag name cannot contain such characters: pw<b>",
  ],
  [
    "a: [",
    "Invalid value: not valid YAML: deficient indentation (wanted what is in brackets or quotes deeper than its key)",
  ],
  // Keys are no secret.
  ["a: 1\na: pw", 'Duplicate value: key "a"'],
  ['{"a": 1, "a": "pw"}', 'Duplicate value: key "a"'],
  [
    '{"a": pw}',
    `Invalid value: not valid JSON: found ${HUSHED}`,
    'Invalid value: not valid JSON: found "pw}\\n", wanted a value',
  ],
  [
    '{"a"',
    'Invalid value: not valid JSON: found the end of the text, wanted ":"',
  ],
];

for (const [text, beside, alone = beside] of ROWS) {
  Deno.test(`readDocuments() quotes nothing of ${JSON.stringify(text)} beside a Secret`, () => {
    const isJson = text.startsWith("{");
    const messages = ["Secret", "Pod"].map((kind) => {
      const whole = isJson
        ? `{"kind": "${kind}", ${text.slice(1)}\n`
        : `${text}\nkind: ${kind}\n`;
      const result = readDocuments(whole);
      return result.kind === "refused" && result.fault.message;
    });
    deepStrictEqual(messages, [beside, alone]);
  });
}
