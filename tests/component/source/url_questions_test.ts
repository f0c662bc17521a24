/**
 * What a URL is asked, how often, and when that ends.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { sayLast } from "../../support/peers/raw_server.ts";
import {
  ManifestServer,
  RawServer,
  statusAnswer,
  text,
} from "../../support/peers/manifest_server.ts";
import {
  podList,
  startUrlRig,
  urlPod,
  UrlRig,
  type UrlRigOptions,
} from "../../support/source/url_rig.ts";

const BODY = podList(urlPod("a"));

const { publicKey, privateKey } = generateKeyPairSync("ed25519");

const SIGNATURE = sign(null, new TextEncoder().encode(BODY), privateKey)
  .toString("base64");

/** One public key, out of memory. */
const SIGNED: Partial<UrlRigOptions> = {
  publicKeyFiles: ["/key"],
  readFile: () => {
    const pem = String(publicKey.export({ type: "spki", format: "pem" }));
    const bytes = new TextEncoder().encode(pem);
    const stamp = { size: 1, modifiedMs: 0, changedMs: 0, inode: 1 };
    return Promise.resolve({ kind: "read", bytes, stamp });
  },
};

Deno.test("UrlSource counts its questions by what came of them", async () => {
  await using server = await ManifestServer.start(text(BODY));
  await using rig = await startUrlRig({ url: server.url });
  await rig.poll();
  await rig.poll();
  server.answer = statusAnswer(500);
  await rig.poll();
  deepStrictEqual(
    rig.metrics.render().match(/polls_total\{.*/g)?.sort(),
    [
      'polls_total{result="changed"} 1',
      'polls_total{result="failed"} 1',
      'polls_total{result="unchanged"} 2',
    ],
  );
});

for (
  const [name, value, condition] of [
    ["etag", '"1"', "if-none-match"],
    ["last-modified", "Wed, 21 Oct 2026 07:28:00 GMT", "if-modified-since"],
  ] as const
) {
  Deno.test(`UrlSource takes 304 for what it has where the answer had ${name} only`, async () => {
    await using server = await ManifestServer.start(
      text(BODY, { [name]: value }),
    );
    await using rig = await startUrlRig({ url: server.url });
    server.answer = statusAnswer(304);
    await rig.poll();
    const headers = server.requests[1]?.headers;
    deepStrictEqual(
      [headers?.["if-none-match"], headers?.["if-modified-since"]],
      condition === "if-none-match" ? [value, undefined] : [undefined, value],
    );
    deepStrictEqual([rig.sets.length, rig.reports], [1, []]);
  });
}

Deno.test("UrlSource follows ten redirects, and no more", async () => {
  await using server = await ManifestServer.start(text(BODY));
  for (let hop = 1; hop <= 11; hop++) {
    const to = hop === 1 ? "/manifests.yaml" : `/${hop - 1}`;
    server.paths.set(`/${hop}`, statusAnswer(302, { location: to }));
  }
  const url = (hops: number): string =>
    server.url.replace("/manifests.yaml", `/${hops}`);
  await using rig = await startUrlRig({ url: url(10) });
  deepStrictEqual([rig.pods, rig.reports], [["a=one"], []]);
  const { length } = server.requests;
  strictEqual(length, 11);
  await using more = await startUrlRig({ url: url(11) });
  match(more.reports[0] ?? "", /it redirects more than 10 times/);
  strictEqual(server.requests.length, length + 11);
});

Deno.test("UrlSource says of a failure at its own URL nothing of a redirect", async () => {
  await using rig = await startUrlRig({ url: "http://localhost:1/web.yaml" });
  match(
    rig.reports[0] ?? "",
    /^Cannot take manifests from "http:\/\/localhost:1\/web\.yaml": connect/,
  );
});

Deno.test("UrlSource takes an answer without a length if it is signed", async () => {
  await using server = await RawServer.start(async (connection) => {
    const body = server.asked === 0 ? BODY : SIGNATURE;
    await sayLast(connection, `HTTP/1.1 200 OK\r\n\r\n${body}`);
  });
  const url = `http://localhost:${server.port}/manifests.yaml`;
  await using rig = await startUrlRig({ url, ...SIGNED });
  deepStrictEqual([rig.pods, rig.reports], [["a=one"], []]);
});

for (const what of ["answer", "signature"] as const) {
  Deno.test(`UrlSource reports no fault because it stops while it waits for ${what}`, async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await ManifestServer.start(text(BODY));
    const path = what === "answer" ? "/manifests.yaml" : "/manifests.yaml.sig";
    server.paths.set(path, () => asked.resolve());
    const rig = new UrlRig({ url: server.url, ...SIGNED });
    await asked.promise;
    await rig[Symbol.asyncDispose]();
    deepStrictEqual([rig.sets, rig.reports, rig.log], [[], [], []]);
    strictEqual(rig.metrics.render().includes("polls_total{"), false);
  });
}

Deno.test({
  name:
    "UrlSource says of a redirect to a host that the agent may not reach which one is wanted",
  permissions: { net: ["localhost", "127.0.0.1"], read: true, env: true },
  fn: async () => {
    await using server = await ManifestServer.start(
      statusAnswer(302, { location: "http://192.0.2.1/there" }),
    );
    await using rig = await startUrlRig({ url: server.url });
    match(
      rig.reports[0] ?? "",
      /redirects to "http:\/\/192\.0\.2\.1\/there": the agent may not talk to that host, wanted that of --manifest-url$/,
    );
  },
});
