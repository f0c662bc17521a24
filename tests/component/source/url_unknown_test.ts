/**
 * What the URL source does not know, or cannot read, and what it keeps because of that.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ManifestServer, text } from "../../support/peers/manifest_server.ts";
import {
  MemoryCheckpoint,
  podList,
  startUrlRig,
  urlPod,
  UrlRig,
} from "../../support/source/url_rig.ts";

Deno.test("UrlSource restores a checkpoint that could not be read at once (I8)", async () => {
  const checkpoint = new MemoryCheckpoint();
  const server = await ManifestServer.start(text(podList(urlPod("a"))));
  {
    await using _rig = await startUrlRig({ url: server.url, checkpoint });
  }
  await server[Symbol.asyncDispose]();
  checkpoint.outage = "EMFILE";
  await using rig = new UrlRig({ url: server.url, checkpoint });
  await rig.until(() => rig.reports.length === 1, "the outage");
  await rig.clock.advance(0);
  strictEqual(rig.sets.length, 0);
  checkpoint.outage = undefined;
  await rig.clock.advance(1_000);
  await rig.untilPolls(1);
  deepStrictEqual(rig.pods, ["a=one"]);
  strictEqual(rig.last?.op, "restore");
});

Deno.test("UrlSource does not say that a faulty pod left while its checkpoint cannot be read, and keeps the checkpoint (I8)", async () => {
  const checkpoint = new MemoryCheckpoint();
  await using server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b"), urlPod("gone"))),
  );
  {
    await using _rig = await startUrlRig({ url: server.url, checkpoint });
  }
  const { content } = checkpoint;
  checkpoint.outage = "EIO";
  server.answer = text(
    podList({ ...urlPod("a"), spec: {} }, urlPod("b", "two")),
  );
  await using rig = new UrlRig({ url: server.url, checkpoint });
  await rig.until(() => rig.sets.length === 1, "the set");
  deepStrictEqual(rig.pods, ["b=two"]);
  match(rig.last?.unknown?.[0] ?? "", /^http:/);
  strictEqual(checkpoint.content, content);
  checkpoint.outage = undefined;
  await rig.clock.advance(1_000);
  await rig.until(() => rig.sets.length === 2, "the whole");
  deepStrictEqual(rig.pods, ["a=one", "b=two"]);
  strictEqual(rig.last?.unknown, undefined);
  strictEqual(checkpoint.content?.pods.length, 2);
});

Deno.test("UrlSource keeps the newer of what it took and what its checkpoint has, when both are faulty now (I8)", async () => {
  const list = (...items: readonly object[]): string =>
    JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const map = (k: string | number): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c" },
    data: { k },
  });
  const faulty = (name: string): object => ({ ...urlPod(name), spec: {} });
  const checkpoint = new MemoryCheckpoint();
  await using server = await ManifestServer.start(
    text(list(urlPod("a"), urlPod("b"), urlPod("c"), map("one"))),
  );
  {
    await using _rig = await startUrlRig({ url: server.url, checkpoint });
  }
  checkpoint.outage = "EIO";
  server.answer = text(
    list(urlPod("a", "two"), faulty("b"), urlPod("c"), map("two")),
  );
  await using rig = new UrlRig({ url: server.url, checkpoint });
  await rig.until(() => rig.sets.length === 1, "the set");
  deepStrictEqual(rig.pods, ["a=two", "c=one"]);
  server.answer = text(list(faulty("a"), faulty("b"), urlPod("c"), map(7)));
  checkpoint.outage = undefined;
  await rig.clock.advance(1_000);
  await rig.until(() => rig.sets.length === 2, "the whole");
  deepStrictEqual(rig.pods, ["a=two", "b=one", "c=one"]);
  const [object, ...others] = rig.last?.objects ?? [];
  ok(object?.kind === "ConfigMap");
  strictEqual(new TextDecoder().decode(object.entries.get("k")), "two");
  strictEqual(others.length, 0);
});

Deno.test("UrlSource needs no checkpoint for an answer without faults, and writes it anew", async () => {
  const checkpoint = new MemoryCheckpoint();
  checkpoint.outage = "EIO";
  await using server = await ManifestServer.start(text(podList(urlPod("a"))));
  await using rig = await startUrlRig({ url: server.url, checkpoint });
  deepStrictEqual(rig.pods, ["a=one"]);
  strictEqual(rig.last?.unknown, undefined);
  strictEqual(checkpoint.saves, 1);
});

for (
  const [what, faulty, wanted] of [
    ["ConfigMap", { apiVersion: "v1", kind: "ConfigMap", data: { k: 7 } }, [
      "b=one",
    ]],
    ["Pod", { apiVersion: "v1", kind: "Pod", spec: {} }, ["b=one", "web=one"]],
    ["Pod of another version", { apiVersion: "v2", kind: "Pod" }, [
      "b=one",
      "web=one",
    ]],
    ["Pdo", { apiVersion: "v1", kind: "Pdo" }, ["b=one", "web=one"]],
  ] as const
) {
  Deno.test(`UrlSource keeps a removed pod "web" only if a faulty ${what} "web" can be it`, async () => {
    const list = (...items: readonly object[]): string =>
      JSON.stringify({ apiVersion: "v1", kind: "List", items });
    await using server = await ManifestServer.start(
      text(list(urlPod("web"), urlPod("b"))),
    );
    await using rig = await startUrlRig({ url: server.url });
    server.answer = text(
      list(urlPod("b"), { ...faulty, metadata: { name: "web" } }),
    );
    await rig.poll();
    deepStrictEqual(rig.pods, wanted);
    match(
      rig.reports[0] ?? "",
      what === "ConfigMap" ? /^refused .*#ConfigMap/ : /^last_good .*#default/,
    );
  });
}

Deno.test("UrlSource keeps a ConfigMap whose next version is faulty, and not the Secret of its name", async () => {
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c" },
    data: { k: "v" },
  };
  const secret = { ...map, kind: "Secret", data: undefined };
  const list = (...items: readonly object[]): string =>
    JSON.stringify({ apiVersion: "v1", kind: "List", items });
  await using server = await ManifestServer.start(
    text(list(urlPod("a"), map, secret)),
  );
  await using rig = await startUrlRig({ url: server.url });
  strictEqual(rig.last?.objects.length, 2);
  server.answer = text(list(urlPod("a"), { ...map, data: { k: 7 } }));
  await rig.poll();
  deepStrictEqual(rig.last?.objects.map(({ kind }) => kind), ["ConfigMap"]);
  match(rig.reports[0] ?? "", /^last_good .*#ConfigMap\/default\/c: /);
});

Deno.test("UrlSource tells the warnings of what it takes, once for each answer, and hands those of a pod on", async () => {
  const warned = {
    ...urlPod("a"),
    spec: {
      containers: [{
        name: "c",
        image: "one",
        env: [{ name: "A", value: "1" }, { name: "A", value: "2" }],
      }],
    },
  };
  const handed: string[] = [];
  await using server = await ManifestServer.start(text(podList(warned)));
  await using rig = await startUrlRig({
    url: server.url,
    check: (_pod, warnings) => {
      handed.push(...warnings.map(({ message }) => message));
      return [];
    },
  });
  const told = (): readonly unknown[] =>
    rig.log.filter(({ message }) => message === "manifest_warnings");
  strictEqual(told().length, 1);
  match(JSON.stringify(told()[0]), /Is set before in this list/);
  match(JSON.stringify(told()[0]), /"file":"http:/);
  strictEqual(handed.length, 1);
  await rig.poll();
  strictEqual(told().length, 1);
});

Deno.test("UrlSource takes a pod that the node refused when the node takes it, though the answer stays the same", async () => {
  let isUp = false;
  await using server = await ManifestServer.start(
    text(podList(urlPod("a"), urlPod("b")), { etag: '"1"' }),
  );
  await using rig = await startUrlRig({
    url: server.url,
    check: ({ metadata }) =>
      isUp || metadata.name.startsWith("b")
        ? []
        : [{ field: "spec", message: "no address yet" }],
  });
  deepStrictEqual(rig.pods, ["b=one"]);
  await rig.poll();
  deepStrictEqual(rig.pods, ["b=one"]);
  strictEqual(rig.sets.length, 1);
  isUp = true;
  await rig.poll();
  deepStrictEqual(rig.pods, ["a=one", "b=one"]);
  deepStrictEqual(rig.reports, []);
});
