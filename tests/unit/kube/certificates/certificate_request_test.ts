import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import {
  certificateRequest,
  newKey,
  nodeDraft,
} from "../../../../mod/kube/certificates/mod.ts";
import {
  bitString,
  der,
  derInteger,
  pemOf,
} from "../../../../mod/kube/certificates/der.ts";
import {
  derValues,
  readSigningRequest,
} from "../../../support/kube/signing_request_parts.ts";

const HEX = (bytes: Uint8Array): string => bytes.toHex();

for (
  const [length, head] of [
    [0, "0400"],
    [1, "0401"],
    [127, "047f"],
    [128, "048180"],
    [255, "0481ff"],
    [256, "04820100"],
    [65_536, "0483010000"],
  ] as const
) {
  Deno.test(`der() writes the length ${length}`, () => {
    const value = der(0x04, new Uint8Array(length));
    strictEqual(HEX(value.subarray(0, head.length / 2)), head);
    strictEqual(value.length, head.length / 2 + length);
  });
}

Deno.test("der() puts parts one behind the other", () => {
  const parts = [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)];
  strictEqual(HEX(der(0x30, ...parts)), "3003010203");
});

for (
  const [bytes, wanted] of [
    [[0], "020100"],
    [[0, 0], "020100"],
    [[1], "020101"],
    [[0, 1], "020101"],
    [[0x7f], "02017f"],
    [[0x80], "02020080"],
    [[0, 0x80], "02020080"],
    [[0, 0, 0x12, 0], "02021200"],
  ] as const
) {
  Deno.test(`derInteger() writes ${bytes}`, () => {
    strictEqual(HEX(derInteger(Uint8Array.from(bytes))), wanted);
  });
}

Deno.test("bitString() says that no bit is left over", () => {
  strictEqual(HEX(bitString(Uint8Array.of(5))), "03020005");
});

Deno.test("pemOf() writes lines of 64", () => {
  strictEqual(
    pemOf("KEY", new Uint8Array(49)),
    `-----BEGIN KEY-----\n${"A".repeat(64)}\nAA==\n-----END KEY-----\n`,
  );
  strictEqual(
    pemOf("KEY", new Uint8Array(48)),
    `-----BEGIN KEY-----\n${"A".repeat(64)}\n-----END KEY-----\n`,
  );
});

/** Whether the key of a request has signed it. */
async function isSigned(pem: string): Promise<boolean> {
  const { signed, publicKey, signature } = readSigningRequest(pem);
  const [pair] = derValues(signature);
  const numbers = derValues(pair?.content ?? new Uint8Array());
  const raw = new Uint8Array(64);
  numbers.forEach(({ content }, at) => {
    const plain = content.length > 32 ? content.subarray(1) : content;
    raw.set(plain, 32 * (at + 1) - plain.length);
  });
  const name = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("spki", publicKey, name, true, [
    "verify",
  ]);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return await crypto.subtle.verify(algorithm, key, raw, signed);
}

Deno.test("certificateRequest() asks for what was drafted, signed by the key", async () => {
  // Numbers of a signature begin with any byte: many keys, many signatures.
  for (let round = 0; round < 40; round++) {
    const pem = await certificateRequest(nodeDraft("kiosk-1"), await newKey());
    strictEqual(await isSigned(pem), true);
    const { version, subject, attributes, algorithm } = readSigningRequest(pem);
    strictEqual(HEX(version.whole), "020100");
    deepStrictEqual(subject, ["O=system:nodes", "CN=system:node:kiosk-1"]);
    strictEqual(HEX(attributes.whole), "a000");
    strictEqual(HEX(algorithm), "06082a8648ce3d040302");
  }
});

Deno.test("certificateRequest() writes the subject as X.520 has it", async () => {
  const draft = { commonName: "n", organizations: ["o"] };
  const { signed } = readSigningRequest(
    await certificateRequest(draft, await newKey()),
  );
  const [info] = derValues(signed);
  const [, subject] = derValues(info?.content ?? new Uint8Array());
  strictEqual(
    HEX(subject?.whole ?? new Uint8Array()),
    "3018" + "310a3008060355040a0c016f" + "310a300806035504030c016e",
  );
});

Deno.test("certificateRequest() asks for the names and addresses of a server", async () => {
  const draft = {
    ...nodeDraft("n"),
    dnsNames: ["n1"],
    ipAddresses: ["10.0.0.1", "fd00::1:2"],
  };
  const pem = await certificateRequest(draft, await newKey());
  strictEqual(await isSigned(pem), true);
  const names = "82026e31" + "87040a000001" +
    "8710fd000000000000000000000000010002";
  strictEqual(
    HEX(readSigningRequest(pem).attributes.whole),
    // An attribute with the extensions, of which the one has the alternative names.
    "a0383036" + "06092a864886f70d01090e" + "31293027" + "3025" +
      "0603551d11" + "041e301c" + names,
  );
});

Deno.test("certificateRequest() refuses what is no address", async () => {
  const draft = { ...nodeDraft("n"), ipAddresses: ["n1"] };
  await rejects(certificateRequest(draft, await newKey()), {
    name: "TypeError",
    message: 'Cannot ask for a certificate for "n1": wanted an IP address',
  });
});

Deno.test("newKey() makes another key each time, and does not show it", async () => {
  const [one, two] = [await newKey(), await newKey()];
  match(one.pem.reveal(), /^-----BEGIN PRIVATE KEY-----\n/);
  strictEqual(one.pem.reveal() === two.pem.reveal(), false);
  strictEqual(`${one.pem}`, "(not shown)");
});
