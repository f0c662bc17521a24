/**
 * Answers of a URL that have to be signed.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  ManifestServer,
  statusAnswer,
  text,
} from "../../support/peers/manifest_server.ts";
import { podList, startUrlRig, urlPod } from "../../support/source/url_rig.ts";

interface Signer {
  readonly privateKey: KeyObject;
  readonly publicPem: string;
}

function signer(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const publicPem = publicKey.export({ type: "spki", format: "pem" });
  return { privateKey, publicPem: String(publicPem) };
}

function signature(body: string, { privateKey }: Signer): string {
  return sign(null, new TextEncoder().encode(body), privateKey)
    .toString("base64");
}

async function withKeys(
  signers: readonly Signer[],
  run: (publicKeyFiles: readonly string[]) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry_url_" });
  try {
    const files: string[] = [];
    for (const [at, { publicPem }] of signers.entries()) {
      files.push(`${directory}/${at}.pem`);
      await Deno.writeTextFile(`${directory}/${at}.pem`, publicPem);
    }
    await run(files);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("UrlSource takes an answer that one of the keys signed, at .sig behind the path", async () => {
  const [one, two] = [signer(), signer()];
  const body = podList(urlPod("a"));
  await withKeys([one, two], async (publicKeyFiles) => {
    await using server = await ManifestServer.start(text(body));
    server.paths.set(
      "/manifests.yaml.sig?v=1",
      text(`${signature(body, two).replace(/(.{40})/, "$1\n")}\n`),
    );
    await using rig = await startUrlRig({
      url: `${server.url}?v=1`,
      publicKeyFiles,
      headers: { "x-token": ["t"] },
    });
    deepStrictEqual([rig.pods, rig.reports], [["a=one"], []]);
    strictEqual(server.requests[1]?.headers["x-token"], "t");
  });
});

const OTHER = signer();

for (
  const [what, sig, reason] of [
    ["no signature", statusAnswer(404), /it answered 404/],
    ["one of another key", text(signature(podList(), OTHER)), /none of the/],
    ["garbage", text("not base64"), /is not the base64/],
    ["an empty one", text(""), /nothing in it/],
    ["one that is too long", text("A".repeat(1025)), /longer than 1024/],
    ["64 bytes of nothing", text(`${"A".repeat(86)}==`), /none of the/],
    [
      "a redirect to a file",
      statusAnswer(302, { location: "file:///etc/passwd" }),
      /scheme "file:"/,
    ],
  ] as const
) {
  Deno.test(`UrlSource changes nothing for an answer with ${what} as signature`, async () => {
    const key = signer();
    const body = podList(urlPod("a"));
    await withKeys([key], async (publicKeyFiles) => {
      await using server = await ManifestServer.start(text(body));
      server.paths.set("/manifests.yaml.sig", text(signature(body, key)));
      await using rig = await startUrlRig({ url: server.url, publicKeyFiles });
      server.answer = text(podList());
      server.paths.set("/manifests.yaml.sig", sig);
      await rig.poll();
      strictEqual(rig.sets.length, 1);
      match(rig.reports[0] ?? "", reason);
      match(rig.reports[0] ?? "", /signature at .*manifests\.yaml\.sig/);
      const [told] = rig.report();
      ok(told?.kind === "unreachable");
      strictEqual(told.fault, "InvalidSignature");
      const other = podList(urlPod("b"));
      server.answer = text(other);
      server.paths.set("/manifests.yaml.sig", text(signature(other, key)));
      await rig.poll();
      deepStrictEqual([rig.pods, rig.reports], [["b=one"], []]);
    });
  });
}

Deno.test("UrlSource believes nothing while a public key is none", async () => {
  const key = { ...signer(), publicPem: "-----BEGIN PUBLIC KEY-----\nx\n" };
  await withKeys([key], async (publicKeyFiles) => {
    await using server = await ManifestServer.start(text(podList()));
    await using rig = await startUrlRig({ url: server.url, publicKeyFiles });
    strictEqual(rig.sets.length, 0);
    match(rig.reports[0] ?? "", /is no Ed25519 public key/);
  });
});
