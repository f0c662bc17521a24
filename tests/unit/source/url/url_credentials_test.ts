/**
 * Certificates, keys and signatures of the URL source.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { BoundedRead } from "../../../../mod/host/files/mod.ts";
import {
  readCredentials,
  signatureFault,
  type UrlCredentialFiles,
} from "../../../../mod/source/url/url_credentials.ts";

const STAMP = { size: 1, modifiedMs: 0, changedMs: 0, inode: 1 };

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

const ONE: Pair = generateKeyPairSync("ed25519");
const TWO: Pair = generateKeyPairSync("ed25519");
const ELLIPTIC: Pair = generateKeyPairSync("ec", { namedCurve: "P-256" });

const publicPem = ({ publicKey }: Pair): string =>
  String(publicKey.export({ type: "spki", format: "pem" }));
const privatePem = ({ privateKey }: Pair): string =>
  String(privateKey.export({ type: "pkcs8", format: "pem" }));

/** Reads them from files in memory, and notes how much of each it would take. */
async function read(
  files: Partial<UrlCredentialFiles>,
  texts: Readonly<Record<string, string | BoundedRead>>,
) {
  const limits: number[] = [];
  const found = await readCredentials(
    { publicKeyFiles: [], ...files },
    (path, maxBytes) => {
      limits.push(maxBytes);
      const text = texts[path] ?? { kind: "missing" };
      if (typeof text !== "string") return Promise.resolve(text);
      const bytes = new TextEncoder().encode(text);
      return Promise.resolve({ kind: "read", bytes, stamp: STAMP });
    },
  );
  return { ...found, limits };
}

Deno.test("readCredentials() reads what is named, at most 4 MiB of each", async () => {
  const texts = { ca: "CA", cert: "CERT", key: "KEY", pub: publicPem(ONE) };
  deepStrictEqual((await read({ caFile: "ca" }, texts)).tls, { ca: "CA" });
  const all = await read({
    caFile: "ca",
    certFile: "cert",
    keyFile: "key",
    publicKeyFiles: ["pub", "pub"],
  }, texts);
  deepStrictEqual(all.tls, { ca: "CA", cert: "CERT", key: "KEY" });
  strictEqual(all.keys.length, 2);
  deepStrictEqual(all.limits, Array(5).fill(4_194_304));
  deepStrictEqual(await read({}, texts), {
    tls: undefined,
    keys: [],
    limits: [],
  });
});

const UNREAD: readonly (readonly [string, BoundedRead, string])[] = [
  ["is missing", { kind: "missing" }, "it does not exist"],
  [
    "is no file",
    { kind: "not_regular", what: "fifo" },
    'it is of type "fifo", wanted a regular file',
  ],
  [
    "is too large",
    { kind: "too_large", stamp: STAMP },
    "it is longer than 4194304 bytes",
  ],
];

for (const [what, found, reason] of UNREAD) {
  Deno.test(`readCredentials() says that a file ${what}`, async () => {
    await rejects(read({ caFile: "ca" }, { ca: found }), {
      message: `Cannot read "ca": ${reason}`,
    });
  });
}

const NO_KEYS: readonly (readonly [string, string])[] = [
  ["a private key", privatePem(ONE)],
  ["a public key of another kind", publicPem(ELLIPTIC)],
  ["garbage between the right lines", publicPem(ONE).replace(/\n.*\n/, "\n\n")],
  ["nothing", ""],
];

for (const [what, pem] of NO_KEYS) {
  Deno.test(`readCredentials() takes ${what} for no public key`, async () => {
    const files = { publicKeyFiles: ["good", "bad"] };
    await rejects(read(files, { good: publicPem(ONE), bad: pem }), {
      message: '"bad" is no Ed25519 public key in PEM',
    });
  });
}

const BODY = new TextEncoder().encode("kind: Pod");

const FORM = "it is not the base64 of an Ed25519 signature";
const MAKER = "none of the public keys made it for this answer";

function faultOf(text: string, keys: readonly Pair[]): string | undefined {
  const bytes = new TextEncoder().encode(text);
  return signatureFault(BODY, bytes, keys.map(({ publicKey }) => publicKey));
}

Deno.test("signatureFault() takes the signature of any of the keys, whatever white space is in it", () => {
  const text = sign(null, BODY, TWO.privateKey).toString("base64");
  strictEqual(faultOf(text, [ONE, TWO]), undefined);
  strictEqual(faultOf(text, [TWO, ONE]), undefined);
  const spaced = ` ${text.slice(0, 7)}\r\n\t${text.slice(7)}\n`;
  strictEqual(faultOf(spaced, [TWO]), undefined);
  strictEqual(faultOf(text, [ONE]), MAKER);
  strictEqual(faultOf(text, []), MAKER);
});

for (
  const [what, text, reason] of [
    ["64 bytes", `${"A".repeat(86)}==`, MAKER],
    ["63 bytes", "A".repeat(84), FORM],
    ["65 bytes", `${"A".repeat(87)}=`, FORM],
    ["64 bytes of an encoder that leaves bits", `${"A".repeat(85)}B==`, FORM],
    ["64 bytes for URLs", `-${"A".repeat(85)}==`, FORM],
    ["nothing", "", FORM],
  ] as const
) {
  Deno.test(`signatureFault() does not take ${what} for a signature`, () => {
    strictEqual(faultOf(text, [ONE]), reason);
  });
}
