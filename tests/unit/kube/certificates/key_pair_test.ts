import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { readKeyPair } from "../../../../mod/kube/certificates/mod.ts";
import {
  addressKey,
  dnsKey,
  pairText,
} from "../../../../mod/kube/certificates/key_pair.ts";
import { Authority } from "../../../support/peers/certificates.ts";

const authority = await Authority.create();
const own = await authority.issue({
  name: "n1",
  hosts: ["n1", "n1.example", "10.0.0.1"],
  endYear: 2030,
});
const other = await authority.issue({ name: "n2" });

Deno.test("readKeyPair() says how long a certificate is good and for which names", () => {
  const pair = readKeyPair(own.cert, own.key);
  strictEqual(pair.cert.trim(), own.cert.trim());
  strictEqual(pair.key.reveal(), own.key.trim());
  strictEqual(pair.beginsMs, Date.UTC(2020, 0, 1));
  strictEqual(pair.endsMs, Date.UTC(2030, 0, 1));
  deepStrictEqual(
    pair.names,
    new Set(["DNS:n1", "DNS:n1.example", "IP:167772161"]),
  );
});

Deno.test("readKeyPair() reads what pairText() has written, and what stands around it", () => {
  const pair = readKeyPair(own.cert, own.key);
  const text = pairText(pair);
  strictEqual(text, `${own.cert.trim()}\n${own.key.trim()}\n`);
  const again = readKeyPair(`Bag: 1\n${text}\n# end`, `x${text}`);
  strictEqual(again.cert, pair.cert);
  strictEqual(again.key.reveal(), pair.key.reveal());
  // In the other order as well.
  const turned = `${own.key}${own.cert}`;
  strictEqual(readKeyPair(turned, turned).cert, pair.cert);
});

Deno.test("readKeyPair() keeps the authorities between, and looks at the first", () => {
  const { cert } = readKeyPair(`${own.cert}${authority.cert}`, own.key);
  strictEqual(cert, `${own.cert.trim()}\n${authority.cert.trim()}`);
});

for (
  const [name, cert, key, words] of [
    ["no certificate", "", own.key, /There is no certificate$/],
    [
      "half a certificate",
      own.cert.slice(0, -30),
      own.key,
      /There is no certificate$/,
    ],
    ["no key", own.cert, "", /There is no key$/],
    [
      "a locked key",
      own.cert,
      own.key.replaceAll("PRIVATE", "ENCRYPTED PRIVATE"),
      /There is no key$/,
    ],
    ["another's key", own.cert, other.key, /they do not fit together$/],
    [
      "garbage",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      own.key,
      /Cannot use a certificate and its key: /,
    ],
    [
      "a key of garbage",
      own.cert,
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
      /Cannot use a certificate and its key: /,
    ],
  ] as const
) {
  Deno.test(`readKeyPair() refuses ${name}`, () => {
    throws(() => readKeyPair(cert, key), (error) => {
      ok(error instanceof TypeError);
      ok(words.test(error.message), error.message);
      ok(!error.message.includes(own.key.slice(40, 60)));
      return error.message.startsWith("Cannot use a certificate and its key: ");
    });
  });
}

for (const label of ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]) {
  Deno.test(`readKeyPair() looks for a key that is called ${label}`, () => {
    const key = own.key.replaceAll("PRIVATE KEY", label);
    const read = () => readKeyPair(own.cert, key);
    // Only the first of them is what it says.
    if (label === "PRIVATE KEY") read();
    else throws(read, (error) => !/There is no key/.test(`${error}`));
  });
}

Deno.test("addressKey() knows an address however it is written", () => {
  strictEqual(addressKey("FD00:0:0:0:0:0:0:1"), addressKey("fd00::1"));
  strictEqual(addressKey("10.0.0.1"), "IP:167772161");
  strictEqual(addressKey("::a00:1"), "IP:v6:167772161");
  strictEqual(addressKey("n1"), "IP:n1");
  strictEqual(dnsKey("n1"), "DNS:n1");
});
