/**
 * Which image names are usable.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  parseImageReference,
  repositoryOf,
} from "../../../../mod/runtime/images/image_reference.ts";

const SHA = "a".repeat(64);

const USABLE: readonly (readonly [string, string])[] = [
  ["x", "x:latest"],
  ["x:1", "x:1"],
  ["x:latest", "x:latest"],
  ["a/b/c", "a/b/c:latest"],
  ["localhost/x", "localhost/x:latest"],
  ["localhost:5000/x", "localhost:5000/x:latest"],
  ["registry.example:5000/a/b:v1.0_2-x", "registry.example:5000/a/b:v1.0_2-x"],
  ["[::1]:5000/x", "[::1]:5000/x:latest"],
  [`x@sha256:${SHA}`, `x@sha256:${SHA}`],
  [`x:1@sha256:${SHA}`, `x:1@sha256:${SHA}`],
  ["a__b/c-d.e", "a__b/c-d.e:latest"],
  ["Registry.example/x", "Registry.example/x:latest"],
  [`x@sha384:${"a".repeat(96)}`, `x@sha384:${"a".repeat(96)}`],
  [`x@sha512:${"a".repeat(128)}`, `x@sha512:${"a".repeat(128)}`],
  [`x:${"t".repeat(128)}`, `x:${"t".repeat(128)}`],
  // With "docker.io/library/" these are 255 characters.
  ["n".repeat(237), `${"n".repeat(237)}:latest`],
];

for (const [text, image] of USABLE) {
  Deno.test(`parseImageReference() takes "${text.slice(0, 40)}"`, () => {
    deepStrictEqual(parseImageReference(text), { kind: "ok", image });
  });
}

const UNUSABLE = [
  "",
  "a b",
  "-x",
  "Upper",
  "UPPER/case",
  "x:tag:tag",
  "x:",
  "x@",
  "x@sha256:short",
  `x@sha256:${"A".repeat(64)}`,
  `x@md5:${"a".repeat(32)}`,
  `x@sha256:${"a".repeat(65)}`,
  "../../etc",
  "http://x/y",
  "a//b",
  "a/",
  "/a",
  "x/Y",
  "a..b",
  `x:${"t".repeat(129)}`,
  SHA,
  "x\n",
  "a/".repeat(200) + "a",
  "y".repeat(5 * 1024),
];

for (const text of UNUSABLE) {
  Deno.test(`parseImageReference() refuses ${JSON.stringify(text.slice(0, 40))} (${text.length})`, () => {
    const reference = parseImageReference(text);
    strictEqual(reference.kind, "invalid");
    ok(
      reference.kind === "invalid" && reference.message.length < 400 &&
        reference.message.startsWith("couldn't parse image reference"),
    );
  });
}

const FORMAT = "invalid reference format";
const TOO_LONG = "repository name must not be more than 255 characters";
const CHECKSUM = "invalid checksum digest";
const FAULTS: readonly (readonly [
  text: string,
  shown: string,
  fault: string,
])[] = [
  [`x@${SHA}`, `x@${SHA}`, FORMAT],
  [`x@b:${SHA}`, `x@b:${SHA}`, "unsupported digest algorithm"],
  [`-${"y".repeat(255)}`, `-${"y".repeat(255)}`, FORMAT],
  [`-${"y".repeat(256)}`, `-${"y".repeat(255)}…`, FORMAT],
  ["Upper", "Upper", `${FORMAT}: repository name must be lowercase`],
  ["n".repeat(238), "n".repeat(238), TOO_LONG],
  // One more, and it is not looked at.
  ["n".repeat(546), `${"n".repeat(256)}…`, TOO_LONG],
  ["n".repeat(547), `${"n".repeat(256)}…`, FORMAT],
  [SHA, SHA, "a name of 64 hexadecimal digits looks like an image id"],
  [`x@sha256:${SHA}a`, `x@sha256:${SHA}a`, CHECKSUM],
  [`x@sha256:${"A".repeat(64)}`, `x@sha256:${"A".repeat(64)}`, CHECKSUM],
];

for (const [text, shown, fault] of FAULTS) {
  Deno.test(`parseImageReference() says what is wrong with ${text.slice(0, 8)} (${text.length})`, () => {
    const message = `couldn't parse image reference "${shown}": ${fault}`;
    const reference = parseImageReference(text);
    deepStrictEqual(reference, { kind: "invalid", fault, message });
  });
}

for (
  const [image, repository] of [
    ["x:1", "docker.io/library/x"],
    ["a/b:1", "docker.io/a/b"],
    ["docker.io/a/b:1", "docker.io/a/b"],
    ["index.docker.io/a/b:1", "docker.io/a/b"],
    ["localhost/x:latest", "localhost/x"],
    ["localhost:5000/a/b:1", "localhost:5000/a/b"],
    [`r.example/x:1@sha256:${SHA}`, "r.example/x"],
    ["[::1]:5000/x:1", "[::1]:5000/x"],
  ] as const
) {
  Deno.test(`repositoryOf() of "${image.slice(0, 40)}" is "${repository}"`, () => {
    strictEqual(repositoryOf(image), repository);
  });
}
