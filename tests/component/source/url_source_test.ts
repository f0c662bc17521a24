/**
 * What a URL serves becomes pods, and what goes wrong changes none of them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  type HttpAnswer,
  ManifestServer,
  statusAnswer,
  text,
} from "../../support/peers/manifest_server.ts";
import {
  MemoryCheckpoint,
  podList,
  startUrlRig,
  urlPod,
  UrlRig,
} from "../../support/source/url_rig.ts";

const YAML_PODS = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "1"}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, image: one}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
spec: {containers: [{name: c, image: one}]}
`;

for (
  const [what, body, pods, objects] of [
    ["a single Pod in JSON", JSON.stringify(urlPod("a")), ["a=one"], 0],
    ["a PodList", podList(urlPod("a"), urlPod("b")), ["a=one", "b=one"], 0],
    ["several documents of YAML", YAML_PODS, ["a=one", "b=one"], 1],
    [
      "YAML with a byte order mark and CRLF",
      `\ufeff${YAML_PODS.replaceAll("\n", "\r\n")}`,
      ["a=one", "b=one"],
      1,
    ],
    [
      "a List",
      podList(urlPod("a")).replace("PodList", "List"),
      ["a=one"],
      0,
    ],
  ] as const
) {
  Deno.test(`UrlSource delivers ${what}`, async () => {
    await using server = await ManifestServer.start(text(body));
    await using rig = await startUrlRig({ url: server.url });
    deepStrictEqual(rig.pods, pods);
    strictEqual(rig.last?.objects.length, objects);
    strictEqual(rig.last?.source, "http");
    deepStrictEqual(rig.reports, []);
  });
}

Deno.test("UrlSource gives its pods their identity by the URL, without a toleration", async () => {
  await using server = await ManifestServer.start(
    text(JSON.stringify(urlPod("a"))),
  );
  await using rig = await startUrlRig({ url: server.url });
  await using other = await startUrlRig({ url: `${server.url}?x=1` });
  const [first] = rig.last?.pods ?? [];
  strictEqual(first?.metadata.name, "a-node-1");
  strictEqual(
    first?.metadata.annotations?.["kubernetes.io/config.source"],
    "http",
  );
  strictEqual(first?.spec.tolerations, undefined);
  ok(first?.metadata.uid !== other.last?.pods[0]?.metadata.uid);
});

Deno.test("UrlSource delivers what changes, once, and an explicit empty PodList removes all", async () => {
  await using server = await ManifestServer.start(text(podList(urlPod("a"))));
  await using rig = await startUrlRig({ url: server.url });
  await rig.poll();
  strictEqual(rig.sets.length, 1);
  server.answer = text(podList(urlPod("a", "two"), urlPod("b")));
  await rig.poll();
  deepStrictEqual(rig.pods, ["a=two", "b=one"]);
  server.answer = text(podList());
  await rig.poll();
  deepStrictEqual(rig.last, {
    source: "http",
    pods: [],
    objects: [],
    workloads: [],
  });
  strictEqual(rig.sets.length, 3);
});

Deno.test("UrlSource asks with If-None-Match and If-Modified-Since, and takes 304 for what it has", async () => {
  const lastModified = "Wed, 21 Oct 2026 07:28:00 GMT";
  await using server = await ManifestServer.start(
    text(podList(urlPod("a")), { etag: '"1"', "last-modified": lastModified }),
  );
  await using rig = await startUrlRig({ url: server.url });
  strictEqual(server.requests[0]?.headers["if-none-match"], undefined);
  server.answer = statusAnswer(304);
  await rig.poll();
  strictEqual(server.requests[1]?.headers["if-none-match"], '"1"');
  strictEqual(server.requests[1]?.headers["if-modified-since"], lastModified);
  deepStrictEqual([rig.sets.length, rig.reports], [1, []]);
  // What was refused is asked for again in full, and 304 means what was taken.
  server.answer = text("nonsense", { etag: '"2"' });
  await rig.poll();
  strictEqual(rig.reports.length, 1);
  server.answer = statusAnswer(304);
  await rig.poll();
  strictEqual(server.requests[3]?.headers["if-none-match"], '"1"');
  deepStrictEqual([rig.sets.length, rig.reports], [1, []]);
});

Deno.test("SRC-21 UrlSource keeps the last state through errors, tells them once and sends its headers each time", async () => {
  await using server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"))),
  );
  await using rig = await startUrlRig({
    url: server.url,
    headers: { "x-token": ["s3cret", "again"] },
  });
  for (const code of [404, 500, 503]) {
    server.answer = statusAnswer(code);
    for (let round = 0; round < 4; round++) await rig.poll();
    match(rig.reports[0] ?? "", new RegExp(`it answered ${code}, wanted 200`));
  }
  server.answer = text(podList(urlPod("a"), urlPod("b")));
  await rig.poll();
  deepStrictEqual([rig.sets.length, rig.reports], [1, []]);
  const told = rig.log.map(({ msg, message }) => msg ?? message);
  strictEqual(told.filter((one) => one === "manifest_fault_cleared").length, 1);
  strictEqual(
    told.filter((one) => one === "manifest_source_unreachable").length,
    3,
  );
  for (const { headers } of server.requests) {
    strictEqual(headers["x-token"], "s3cret, again");
    strictEqual(headers["accept-encoding"], "identity");
  }
  ok(!JSON.stringify(rig.log).includes("s3cret"));
});

Deno.test("SRC-23 UrlSource keeps the last good version of a bad pod, and takes its neighbours", async () => {
  const bad = { ...urlPod("b"), spec: { containers: [] } };
  await using server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"))),
  );
  await using rig = await startUrlRig({ url: server.url });
  const [, before] = rig.last?.pods ?? [];
  server.answer = text(podList(urlPod("a", "two"), bad, urlPod("d")));
  for (let round = 0; round < 2; round++) {
    await rig.poll();
    deepStrictEqual(rig.pods, ["a=two", "b=one", "d=one"]);
    strictEqual(
      rig.last?.pods.find(({ metadata }) => metadata.name === "b-node-1"),
      before,
    );
    match(
      rig.reports[0] ?? "",
      /^last_good http:\/\/localhost:\d+\/manifests\.yaml#default\/b: items\[1\]\.spec\.containers: Required value/,
    );
  }
  strictEqual(rig.sets.length, 2);
  deepStrictEqual(
    rig.events.map(({ pod, reason }) => [pod.name, reason]),
    [["b-node-1", "FailedValidation"]],
  );
  server.answer = text(podList(urlPod("a", "two"), urlPod("b", "three")));
  await rig.poll();
  deepStrictEqual(rig.pods, ["a=two", "b=three"]);
  deepStrictEqual(rig.reports, []);
});

for (
  const [what, parts, wanted] of [
    ["a pod without a name lets nobody leave", [urlPod("a"), {
      ...urlPod("x"),
      metadata: {},
    }], ["a=one", "b=one"]],
    ["something that is no object lets nobody leave", [urlPod("a"), 7], [
      "a=one",
      "b=one",
    ]],
    ["a bad pod of another name lets others leave", [urlPod("a"), {
      ...urlPod("x"),
      spec: {},
    }], ["a=one"]],
    ["a pod that is there twice counts once", [
      urlPod("a"),
      urlPod("a", "two"),
      urlPod("b"),
    ], ["a=one", "b=one"]],
    ["only bad pods keep what they name", [{ ...urlPod("b"), spec: {} }], [
      "b=one",
    ]],
  ] as const
) {
  Deno.test(`UrlSource: ${what}`, async () => {
    await using server = await ManifestServer.start(
      text(podList(urlPod("a"), urlPod("b"))),
    );
    await using rig = await startUrlRig({ url: server.url });
    server.answer = text(
      JSON.stringify({ apiVersion: "v1", kind: "PodList", items: parts }),
    );
    await rig.poll();
    deepStrictEqual(rig.pods, wanted);
    strictEqual(rig.reports.length, 1);
  });
}

Deno.test("UrlSource refuses only the pod that the node objects to", async () => {
  await using server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"))),
  );
  await using rig = await startUrlRig({
    url: server.url,
    check: ({ metadata }) =>
      metadata.name === "b-node-1"
        ? [{ field: "spec", message: "Forbidden: not here" }]
        : [],
  });
  deepStrictEqual(rig.pods, ["a=one"]);
  match(rig.reports[0] ?? "", /^refused .*#default\/b: spec: Forbidden/);
});

Deno.test("SRC-24 UrlSource restores its checkpoint when the URL fails at the first try", async () => {
  const checkpoint = new MemoryCheckpoint();
  const server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"))),
  );
  const { url, port } = server;
  {
    await using _rig = await startUrlRig({ url, checkpoint });
  }
  await server[Symbol.asyncDispose]();
  await using rig = await startUrlRig({ url, checkpoint });
  deepStrictEqual(rig.pods, ["a=one", "b=one"]);
  strictEqual(rig.last?.op, "restore");
  match(rig.reports[0] ?? "", /ECONNREFUSED/);
  await rig.poll();
  strictEqual(rig.sets.length, 1);
  await using _again = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"))),
    { port },
  );
  await rig.poll();
  // The source itself has spoken now, though nothing is new.
  deepStrictEqual([rig.sets.length, rig.last?.op], [2, undefined]);
  strictEqual(rig.last?.pods[0], rig.sets[0]?.pods[0]);
});

Deno.test("UrlSource says nothing at all while a URL without a checkpoint fails", async () => {
  await using server = await ManifestServer.start(statusAnswer(500));
  await using rig = await startUrlRig({ url: server.url });
  await rig.poll();
  strictEqual(rig.sets.length, 0);
});

Deno.test("UrlSource keeps the last good version of a bad pod across a restart", async () => {
  const checkpoint = new MemoryCheckpoint();
  await using server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"))),
  );
  {
    await using _rig = await startUrlRig({ url: server.url, checkpoint });
  }
  server.answer = text(
    podList({ ...urlPod("a"), spec: {} }, urlPod("b", "two")),
  );
  await using rig = await startUrlRig({ url: server.url, checkpoint });
  deepStrictEqual(rig.pods, ["a=one", "b=two"]);
  strictEqual(rig.last?.op, undefined);
});

Deno.test("UrlSource stops at once while the server is silent", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await ManifestServer.start(() => asked.resolve());
  const rig = new UrlRig({ url: server.url });
  await asked.promise;
  await rig[Symbol.asyncDispose]();
  strictEqual(rig.sets.length, 0);
});

Deno.test("SE-11 UrlSource follows redirects and gives its headers and conditions to no other host", async () => {
  await using other = await ManifestServer.start(text(podList(urlPod("far"))));
  await using server = await ManifestServer.start(text("", {}));
  const moved = (location: string): HttpAnswer =>
    statusAnswer(302, { location });
  server.answer = moved("/there");
  server.paths.set("/there", text(podList(urlPod("near")), { etag: '"n"' }));
  await using rig = await startUrlRig({
    url: server.url,
    headers: { authorization: ["Bearer s3cret"] },
  });
  deepStrictEqual(rig.pods, ["near=one"]);
  strictEqual(server.requests[1]?.headers["authorization"], "Bearer s3cret");
  await rig.poll();
  // What the second URL said is no condition for the first.
  strictEqual(server.requests[2]?.headers["if-none-match"], undefined);
  strictEqual(server.requests[3]?.headers["if-none-match"], '"n"');
  server.answer = moved(`http://u:p@localhost:${other.port}/far`);
  await rig.poll();
  deepStrictEqual(rig.pods, ["far=one"]);
  strictEqual(other.requests[0]?.headers["authorization"], undefined);
  strictEqual(other.requests[0]?.headers["host"], `localhost:${other.port}`);
});

Deno.test("UrlSource follows 301, 302, 303, 307 and 308, and no other status", async () => {
  await using server = await ManifestServer.start(text(""));
  await using rig = await startUrlRig({ url: server.url });
  for (const code of [301, 302, 303, 307, 308]) {
    server.answer = statusAnswer(code, { location: `/${code}` });
    server.paths.set(`/${code}`, text(podList(urlPod(`p${code}`))));
    await rig.poll();
    deepStrictEqual(rig.pods, [`p${code}=one`]);
  }
  for (const code of [300, 305, 306, 309]) {
    server.answer = statusAnswer(code, { location: "/301" });
    await rig.poll();
    deepStrictEqual(rig.pods, ["p308=one"]);
    match(rig.reports[0] ?? "", new RegExp(`it answered ${code}, wanted 200`));
  }
});

Deno.test("SE-10 UrlSource shows neither the query of its URL nor what a broken answer holds", async () => {
  await using server = await ManifestServer.start(
    text("kind: Secret\nstringData: {a: 'hunter2\n"),
  );
  await using rig = await startUrlRig({ url: `${server.url}?token=hunter3` });
  match(rig.reports[0] ?? "", /manifests\.yaml\?…/);
  const shown = JSON.stringify([
    rig.log,
    rig.reports,
    rig.events,
    rig.metrics.render(),
  ]);
  ok(!shown.includes("hunter"));
});

Deno.test("SE-10 UrlSource shows the beginning of a very long URL, and no query", async () => {
  await using server = await ManifestServer.start(statusAnswer(404));
  const long = `${server.url}/${"x".repeat(300)}`;
  await using rig = await startUrlRig({ url: `${long}?token=hunter3` });
  strictEqual(
    rig.reports[0],
    `Cannot take manifests from "${
      long.slice(0, 200)
    }…?…": it answered 404, wanted 200`,
  );
});
