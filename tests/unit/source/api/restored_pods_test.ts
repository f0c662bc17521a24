/**
 * Pods of an API server that run again after a boot without it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { LocalObject } from "../../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import type { Kept } from "../../../../mod/source/mod.ts";
import type { SecretLack } from "../../../../mod/source/records/mod.ts";
import { keyed } from "../../../support/keyed_objects.ts";
import {
  apiPod,
  ApiPodRig as Rig,
} from "../../../support/source/api_pod_rig.ts";

const TOKEN = "token/uid-a/3607/";
const SILENT = "the API server has not answered since the agent's start";

/** A pod whose account has a token. */
function withToken(name: string, rest: Parameters<typeof apiPod>[1] = {}): Pod {
  const pod = apiPod(name, rest);
  const serviceAccountToken = { path: "token", expirationSeconds: 3607 };
  const volume = {
    name: "api",
    projected: { sources: [{ serviceAccountToken }] },
  };
  return { ...pod, spec: { ...pod.spec, volumes: [volume] } };
}

/** A pod that has the Secret "login" as a volume. */
function withSecret(name: string): Pod {
  const pod = apiPod(name);
  const volumes = [{ name: "s", secret: { secretName: "login" } }];
  return { ...pod, spec: { ...pod.spec, volumes } };
}

function present(
  pods: readonly Pod[],
  objects: readonly LocalObject[],
  lack?: SecretLack,
): Kept<SourceContent> {
  const content = { pods, objects, workloads: [] };
  return { kind: "present", content, ...(lack !== undefined && { lack }) };
}

const textsOf = (objects: readonly LocalObject[] = []): string[] =>
  objects.flatMap((object) =>
    object.kind === "Secret"
      ? [...object.entries.values()].map((bytes) =>
        `${object.namespace}/${object.name}=${new TextDecoder().decode(bytes)}`
      )
      : []
  );

const NOT_KEPT: SecretLack = { words: "they are not kept", isLasting: true };
const LOCKED: SecretLack = { words: "there is no key", isLasting: false };

Deno.test("a pod whose token is not kept runs again with an empty one, and is told of", async () => {
  await using rig = new Rig();
  rig.kept = present([withToken("a"), apiPod("b")], [], NOT_KEPT);
  await rig.start();
  await rig.clock.advance(3_000);
  const [set] = rig.sets;
  deepStrictEqual(set?.objects, [keyed("Secret", TOKEN, { token: "" })]);
  deepStrictEqual(set?.absence, {
    secrets: `${SILENT}; they are not kept`,
    others: SILENT,
  });
  deepStrictEqual(rig.take(), ["restore: a b"]);
  const told = [`a: ${SILENT}; they are not kept`];
  deepStrictEqual(rig.tokenless, told);
  await rig.clock.advance(600_000);
  strictEqual(rig.loads, 1);
  deepStrictEqual(rig.take(), []);
  // It stays so until the server gives one, and is never kept.
  rig.unknown.add("a");
  await rig.show(withToken("a"), apiPod("b"));
  deepStrictEqual(textsOf(rig.sets[0]?.objects), [`shop/${TOKEN}=`]);
  deepStrictEqual(rig.take(), ["set: a b"]);
  deepStrictEqual(textsOf(rig.saved[0]?.objects), []);
  rig.unknown.clear();
  await rig.give(keyed("Secret", TOKEN, { token: "new" }));
  deepStrictEqual(textsOf(rig.sets[0]?.objects), [`shop/${TOKEN}=new`]);
  deepStrictEqual(textsOf(rig.saved[1]?.objects), [`shop/${TOKEN}=new`]);
  deepStrictEqual(rig.tokenless, told);
});

Deno.test("a token that was kept is taken, and a pod that has ended needs none", async () => {
  await using rig = new Rig();
  const token = keyed("Secret", TOKEN, { token: "old" });
  rig.kept = present([
    withToken("a"),
    withToken("over", { status: { phase: "Succeeded" } }),
  ], [token]);
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.sets[0]?.objects, [token]);
  deepStrictEqual(rig.sets[0]?.absence, { secrets: SILENT, others: SILENT });
  deepStrictEqual(rig.tokenless, []);
});

Deno.test("Secrets that cannot be read yet come late, without anything else", async () => {
  await using rig = new Rig();
  rig.kept = present([withSecret("a")], [], LOCKED);
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.sets[0]?.absence?.secrets, `${SILENT}; there is no key`);
  deepStrictEqual(rig.take(), ["restore: a"]);
  await rig.clock.advance(600_000);
  // It is asked again, and there is nothing new to say.
  strictEqual(rig.loads > 5 && rig.loads < 20, true);
  deepStrictEqual(rig.take(), []);
  rig.kept = present([withSecret("a")], [keyed("Secret", "login", { p: "x" })]);
  await rig.clock.advance(60_000);
  deepStrictEqual(textsOf(rig.sets[0]?.objects), ["shop/login=x"]);
  deepStrictEqual(rig.take(), ["restore: a"]);
  const { loads } = rig;
  await rig.clock.advance(600_000);
  strictEqual(rig.loads, loads);
  deepStrictEqual(rig.said, ["api_server_silent"]);
});

Deno.test("the checkpoint is not asked any more once the server has spoken", async () => {
  await using rig = new Rig();
  rig.kept = present([apiPod("a")], [], LOCKED);
  await rig.start();
  await rig.clock.advance(3_000);
  await rig.show(apiPod("a"));
  const { loads } = rig;
  await rig.clock.advance(600_000);
  strictEqual(rig.loads, loads);
  deepStrictEqual(rig.source.expected, []);
});

Deno.test("after a boot the first set waits for Secrets that were not kept", async () => {
  await using rig = new Rig();
  rig.kept = present([withSecret("a")], [], NOT_KEPT);
  rig.unknown.add("a");
  await rig.start();
  await rig.show(withSecret("a"));
  deepStrictEqual(rig.take(), []);
  rig.unknown.clear();
  await rig.give(keyed("Secret", "login", { p: "x" }));
  deepStrictEqual(textsOf(rig.sets[0]?.objects), ["shop/login=x"]);
  deepStrictEqual(rig.take(), ["set: a"]);
});

Deno.test("Secrets that do not come hold up the first set for three seconds", async () => {
  await using rig = new Rig();
  rig.kept = present([withSecret("a")], [], NOT_KEPT);
  rig.unknown.add("a");
  await rig.start();
  await rig.clock.advance(1_000);
  await rig.show(withSecret("a"));
  await rig.clock.advance(2_999);
  deepStrictEqual(rig.take(), []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.take(), ["set: a"]);
});

Deno.test("an agent that starts anew with its Secrets in memory waits for none of them", async () => {
  await using rig = new Rig();
  rig.kept = present([withSecret("a")], [keyed("Secret", "login", { p: "x" })]);
  rig.unknown.add("a");
  await rig.start();
  await rig.show(withSecret("a"));
  deepStrictEqual(rig.take(), ["set: a"]);
});

Deno.test("pods that wait for the node find their empty tokens there already, and are told of then", async () => {
  await using rig = new Rig();
  rig.isNodeKnown = false;
  rig.here.add("uid-a");
  rig.kept = present([withToken("a"), withToken("b")], [], NOT_KEPT);
  await rig.start();
  await rig.clock.advance(3_000);
  const tokens = [TOKEN, "token/uid-b/3607/"];
  // What comes with a later set is newer than what is mounted: these are not.
  deepStrictEqual(rig.sets[0]?.objects.map(({ name }) => name), tokens);
  deepStrictEqual(rig.take(), ["restore: a"]);
  const why = `${SILENT}; they are not kept`;
  deepStrictEqual(rig.tokenless, [`a: ${why}`]);
  rig.isNodeKnown = true;
  rig.source.wake();
  await rig.clock.advance(0);
  deepStrictEqual(rig.sets[0]?.objects.map(({ name }) => name), tokens);
  deepStrictEqual(rig.take(), ["restore: a b"]);
  deepStrictEqual(rig.tokenless, [`a: ${why}`, `b: ${why}`]);
});

Deno.test("pods that run again while the node is not known keep their tokens when the server comes back", async () => {
  await using rig = new Rig();
  rig.isNodeKnown = false;
  rig.here.add("uid-a");
  rig.kept = present([withToken("a"), withToken("b")], [], NOT_KEPT);
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.take(), ["restore: a"]);
  rig.unknown.add("a");
  rig.unknown.add("b");
  await rig.show(withToken("a"), withToken("b"));
  deepStrictEqual(textsOf(rig.sets[0]?.objects), [
    `shop/${TOKEN}=`,
    "shop/token/uid-b/3607/=",
  ]);
  deepStrictEqual(rig.take(), ["set: a b"]);
});

Deno.test("Secrets that come late bring no pod that waits for the node, and nothing that was there goes", async () => {
  await using rig = new Rig();
  rig.isNodeKnown = false;
  rig.here.add("uid-a");
  rig.kept = present([withSecret("a"), withSecret("b")], [], LOCKED);
  await rig.start();
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.take(), ["restore: a"]);
  // It has ended meanwhile, and nothing of it is here any more.
  rig.here.clear();
  rig.kept = { kind: "unknown", reason: "disk" };
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), []);
  // The disk does not give it any more, and others may not take the places of these.
  strictEqual(rig.source.expected?.length, 2);
  rig.kept = present([withSecret("a"), withSecret("b")], [
    keyed("Secret", "login", { p: "x" }),
  ]);
  await rig.clock.advance(120_000);
  deepStrictEqual(textsOf(rig.sets[0]?.objects), ["shop/login=x"]);
  deepStrictEqual(rig.take(), ["restore: a"]);
});
