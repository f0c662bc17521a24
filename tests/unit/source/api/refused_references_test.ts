/**
 * References that a living server refuses: the pod is known with them, and so is why.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  ApiFailure,
  type FailureReason,
} from "../../../../mod/api/access/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";
import { claimOf } from "../../../support/keyed_objects.ts";
import { pod } from "../../../support/pods.ts";
import {
  podNaming,
  ReferencesRig as Rig,
} from "../../../support/source/references_rig.ts";

const a: ApiObject & { readonly data: unknown } = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name: "a", uid: "uid-a" },
  data: { a: "1" },
};

const WITHHELD = { kind: "ConfigMap", namespace: "shop", name: "a" };

for (
  const [reason, isRefusal] of [
    ["BadRequest", true],
    ["Conflict", true],
    ["Forbidden", true],
    ["Invalid", true],
    ["MethodNotAllowed", true],
    ["NotFound", true],
    ["Unauthorized", true],
    ["Expired", false],
    ["Garbage", false],
    ["InternalError", false],
    ["ServiceUnavailable", false],
    ["Timeout", false],
    ["TooManyRequests", false],
    ["Unreachable", false],
  ] as const satisfies readonly (readonly [FailureReason, boolean])[]
) {
  const what = isRefusal ? "is withheld" : "stays unknown";
  Deno.test(`(IN-11) what a server answers by ${reason} ${what}`, async () => {
    await using rig = await new Rig().start();
    rig.failing.set("a", new ApiFailure(reason, "no such right"));
    await rig.want(podNaming("a"));
    const withheld = isRefusal ? [{ ...WITHHELD, why: "no such right" }] : [];
    deepStrictEqual(rig.references.withheld(), withheld);
    strictEqual(rig.references.isKnown(podNaming("a")), isRefusal);
    strictEqual(isSettled(rig), false);
    deepStrictEqual(rig.said.includes("reference_refused"), isRefusal);
  });
}

Deno.test("(IN-11) what fails without a word of the API stays unknown", async () => {
  await using rig = await new Rig().start();
  rig.failing.set("a", new Error("no"));
  await rig.want(podNaming("a"));
  strictEqual(rig.references.isKnown(podNaming("a")), false);
});

Deno.test("(IN-11) a right that comes back is noticed, and what is told meanwhile is told once", async () => {
  await using rig = await new Rig().start();
  rig.server("a").put(a);
  rig.failing.set("a", new ApiFailure("Forbidden", "no such right"));
  await rig.want(podNaming("a"));
  const { tells } = rig;
  await rig.clock.advance(60_000);
  strictEqual(rig.tells, tells);
  strictEqual(
    rig.said.filter((each) => each === "reference_refused").length,
    1,
  );
  rig.failing.set("a", new ApiFailure("Forbidden", "still none"));
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.references.withheld().map(({ why }) => why), [
    "still none",
  ]);
  rig.failing.clear();
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.references.withheld(), []);
  deepStrictEqual(rig.texts, ["a=1"]);
  strictEqual(isSettled(rig), true);
});

Deno.test("(IN-11) a right that is lost takes nothing that is known, and is no news when it comes back", async () => {
  await using rig = await new Rig().start();
  rig.server("a").put(a);
  await rig.want(podNaming("a"));
  rig.failing.set("a", new ApiFailure("Forbidden", "no such right"));
  const failure = new ApiFailure("Expired", "too old");
  rig.server("a").say({ type: "ERROR", failure });
  await rig.clock.advance(120_000);
  deepStrictEqual(rig.texts, ["a=1"]);
  deepStrictEqual(rig.references.withheld(), []);
  strictEqual(isSettled(rig), true);
  rig.failing.clear();
  rig.server("a").put({ ...a, data: { a: "2" } } as ApiObject);
  await rig.clock.advance(120_000);
  deepStrictEqual(rig.texts, ["a=2"]);
});

Deno.test("(IN-11) two hundred pods of one Secret are one watch, however they come and go", async () => {
  await using rig = await new Rig().start();
  const pods = Array.from({ length: 200 }, (_, at) => namingSecret(at));
  rig.server("keys").put({
    ...a,
    kind: "Secret",
    metadata: { ...a.metadata, name: "keys" },
    data: { a: btoa("1") },
  } as ApiObject);
  for (let at = 1; at <= pods.length; at++) {
    await rig.want(...pods.slice(0, at));
  }
  strictEqual(rig.server("keys").watches, 1);
  for (let at = 1; at < pods.length; at++) {
    await rig.want(...pods.slice(at));
  }
  strictEqual(rig.server("keys").watches, 1);
  deepStrictEqual(rig.opened, ["Secret shop/keys"]);
  deepStrictEqual(rig.texts, ["keys=1"]);
  await rig.want();
  strictEqual(rig.server("keys").watches, 0);
});

Deno.test("(IN-11) a token that is refused is withheld until there is one, which stays when another is refused", async () => {
  await using rig = await new Rig().start();
  const wanting = pod({
    serviceAccountName: "robot",
    volumes: [{
      name: "t",
      projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
    }],
  });
  const name = `token/${wanting.metadata.uid}/3600/`;
  rig.failing.set("robot", new Error("it is the rig's sign to give none"));
  await rig.want(wanting);
  strictEqual(rig.references.isKnown(wanting), false);
  rig.accounts.get("robot")?.refused("no such account");
  strictEqual(rig.references.isKnown(wanting), true);
  deepStrictEqual(rig.references.withheld(), [
    { kind: "Secret", namespace: "shop", name, why: "no such account" },
  ]);
  rig.accounts.get("robot")?.took(new TextEncoder().encode("ey"));
  deepStrictEqual(rig.references.withheld(), []);
  rig.accounts.get("robot")?.refused("no such account");
  deepStrictEqual(rig.references.withheld(), []);
  deepStrictEqual(rig.texts, [`${name}=ey`]);
});

const RULES = { kind: "Service", namespace: "shop", name: "" };

Deno.test("(IN-11) Services of a namespace that are refused leave none of it settled", async () => {
  await using rig = await new Rig().start();
  rig.failing.set("", new ApiFailure("Forbidden", "no such right"));
  await rig.want(podNaming());
  deepStrictEqual(rig.references.withheld(), [
    { ...RULES, why: "no such right" },
  ]);
  const isSettled = rig.references.settled();
  const db = { kind: "Service", namespace: "shop", name: "db" } as const;
  strictEqual(isSettled(db), false);
  strictEqual(isSettled({ ...db, namespace: "other" }), true);
  strictEqual(isSettled({ ...db, kind: "Secret" }), true);
});

Deno.test("each pod asks for its claim anew, which is there for all of them", async () => {
  await using rig = await new Rig().start();
  const [one, two] = [claiming("1"), claiming("2")];
  await rig.want(one);
  strictEqual(rig.references.isKnown(one), false);
  rig.claims.get("shop/data")?.took(claimOf("data"));
  strictEqual(rig.references.isKnown(one), true);
  await rig.want(one, two);
  strictEqual(rig.references.isKnown(two), false);
  const ending = claimOf("data", { binding: { kind: "none", why: "is gone" } });
  rig.claims.get("shop/data")?.took(ending);
  deepStrictEqual(rig.references.list().at(-1), ending);
  rig.claims.get("shop/data")?.took(undefined);
  strictEqual(rig.references.isKnown(two), true);
  await rig.want(two);
  deepStrictEqual(rig.references.list(), []);
  await rig.want();
  deepStrictEqual(rig.opened, [
    "claim shop/data",
    "claim shop/data",
    "claim shop/data ended",
    "claim shop/data ended",
  ]);
});

function isSettled(rig: Rig): boolean {
  return rig.references.settled()({
    kind: "ConfigMap",
    namespace: "shop",
    name: "a",
  });
}

function namingSecret(at: number): Pod {
  return pod({
    uid: `uid-${at}`,
    name: `web-${at}`,
    volumes: [{ name: "keys", secret: { secretName: "keys" } }],
  });
}

function claiming(uid: string): Pod {
  const persistentVolumeClaim = { claimName: "data" };
  return pod({ uid, volumes: [{ name: "data", persistentVolumeClaim }] });
}
