/** Versions of a Deployment: their numbers, and what is noted of them. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type {
  ApiObject,
  Deployment,
  ReplicaSet,
} from "../../../../mod/api/workload/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { deploymentOfPod } from "../../../../mod/controller/deployment/deployment_step.ts";
import {
  annotatedSize,
  annotationChanges,
  isSetOf,
  newReplicaSet,
  noteOutcome,
  revisionOf,
  revisionsOf,
  scaleChange,
} from "../../../../mod/controller/deployment/revisions.ts";
import { isResized } from "../../../../mod/controller/deployment/scaling.ts";
import { controllerReference } from "../../../../mod/controller/run/mod.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";

const KEY = "deployment.kubernetes.io";
const BUDGET = { maxSurge: 1, maxUnavailable: 0 };

function deployment(
  annotations: Readonly<Record<string, string>> = {},
  spec: Partial<Deployment["spec"]> = {},
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", uid: "web", annotations },
    spec: {
      replicas: 3,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate" },
      selector: { matchLabels: { app: "web" } },
      template: template("v1"),
      ...spec,
    },
  };
}

function template(image: string): Deployment["spec"]["template"] {
  const labels = { app: "web" };
  return { metadata: { labels }, spec: { containers: [{ name: "a", image }] } };
}

function set(
  image: string,
  annotations: Readonly<Record<string, string>> = {},
  replicas = 3,
): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `web-${image}`,
      namespace: "shop",
      uid: image,
      resourceVersion: "7",
      annotations,
      ownerReferences: [controllerReference(deployment())],
    },
    spec: { replicas, selector: {}, template: template(image) },
  };
}

function numbered(image: string, number: number | string): ReplicaSet {
  return set(image, { [`${KEY}/revision`]: `${number}` });
}

for (const text of ["", "-1", "1.5", "x", " 1"]) {
  Deno.test(`a version of number "${text}" has none`, () => {
    strictEqual(revisionOf(numbered("v1", text)), 0);
  });
}

// TestSetNewReplicaSetAnnotations, TestMaxRevision, TestLastRevision
const revisions: Readonly<
  Record<string, readonly [own: number | string, other: number, string?]>
> = {
  "the newest has the highest": [3, 2],
  "the first": [1, 0],
  "one that comes back": [1, 2, "3"],
  "one that shares it": [2, 2, "3"],
  "one that has none": ["", 4, "5"],
};

for (const [name, [own, other, expected]] of Object.entries(revisions)) {
  Deno.test(`a version gets the next number: ${name}`, () => {
    const newest = numbered("v1", own);
    const sets = [newest, numbered("v2", other)];
    const known = deployment({ [`${KEY}/revision`]: expected ?? `${own}` });
    const changes = annotationChanges(known, { newest }, sets);
    const history = own === "" ? {} : { [`${KEY}/revision-history`]: `${own}` };
    deepStrictEqual(
      changes.map((each) => each.verb === "patch" && each.patch),
      expected === undefined ? [] : [{
        metadata: {
          annotations: { [`${KEY}/revision`]: expected, ...history },
        },
      }],
    );
  });
}

Deno.test("a Deployment says the number of its newest version, and hands its own annotations down", () => {
  const newest = numbered("v1", 2);
  const odd = "kubectl.kubernetes.io/last-applied-configuration";
  const web = deployment({ note: "x", [odd]: "y" });
  deepStrictEqual(
    annotationChanges(web, { newest }, [newest]).map((each) =>
      each.verb === "patch" && [each.ref.kind, each.patch]
    ),
    [
      ["ReplicaSet", { metadata: { annotations: { note: "x" } } }],
      ["Deployment", {
        metadata: { annotations: { [`${KEY}/revision`]: "2" } },
      }],
    ],
  );
  deepStrictEqual(annotationChanges(web, { newest: undefined }, []), []);
});

for (
  const [count, known, dropped] of [
    [399, 10_000, 0],
    [399, 100_000, 1],
    [401, 7, 2],
  ] as const
) {
  Deno.test(`of ${count} numbers of a version and ${known} the oldest ${dropped} are forgotten`, () => {
    const history = Array.from({ length: count }, (_, at) => 1_000 + at);
    const newest = set("v1", {
      [`${KEY}/revision`]: `${known}`,
      [`${KEY}/revision-history`]: history.join(),
    });
    const sets = [newest, numbered("v2", known + 1)];
    const [change] = annotationChanges(deployment(), { newest }, sets);
    const expected = [...history.slice(dropped), known].join();
    // 2,000 characters are not too many.
    strictEqual(dropped > 0 || expected.length === 2_000, true);
    deepStrictEqual(change?.verb === "patch" && change.patch, {
      metadata: {
        annotations: {
          [`${KEY}/revision`]: `${known + 2}`,
          [`${KEY}/revision-history`]: expected,
        },
      },
    });
  });
}

Deno.test("a set is made of its template, with what the Deployment hands down", () => {
  const web = deployment({ note: "x" }, { minReadySeconds: 5 });
  const made = newReplicaSet(web, 2, {
    sets: [numbered("v0", 4)],
    budget: BUDGET,
  });
  const hash = made.metadata.labels?.["pod-template-hash"] ?? "";
  strictEqual(made.metadata.name, `web-${hash}`);
  deepStrictEqual(made.metadata.annotations, {
    note: "x",
    [`${KEY}/revision`]: "5",
    [`${KEY}/desired-replicas`]: "3",
    [`${KEY}/max-replicas`]: "4",
  });
  deepStrictEqual(made.metadata.labels, {
    app: "web",
    "pod-template-hash": hash,
  });
  deepStrictEqual(made.spec.selector, { matchLabels: made.metadata.labels });
  deepStrictEqual(made.spec.template.metadata?.labels, made.metadata.labels);
  strictEqual(made.spec.replicas, 2);
  strictEqual(made.spec.minReadySeconds, 5);
  const again: Deployment = { ...web, status: { collisionCount: 1 } };
  const other = newReplicaSet(again, 2, { sets: [], budget: BUDGET });
  strictEqual(other.metadata.name === made.metadata.name, false);
});

for (
  const [to, words] of [
    [4, "Scaled up replica set web-v1 from 3 to 4"],
    [2, "Scaled down replica set web-v1 from 3 to 2"],
    [3, undefined],
  ] as const
) {
  Deno.test(`a set that is scaled from 3 to ${to} says so, and for what`, () => {
    const [change] = scaleChange(deployment(), set("v1"), {
      to,
      budget: BUDGET,
    });
    strictEqual(change?.events?.done?.message, words);
    const annotations = {
      [`${KEY}/desired-replicas`]: "3",
      [`${KEY}/max-replicas`]: "4",
    };
    deepStrictEqual(change?.verb === "patch" && change.patch, {
      metadata: { resourceVersion: "7", annotations },
      spec: { replicas: to },
    });
    const noted = set("v1", annotations, to);
    const options = { to, budget: BUDGET };
    deepStrictEqual(scaleChange(deployment(), noted, options), []);
  });
}

Deno.test("annotatedSize() is what is noted, and isResized() whether that is still wished", () => {
  const noted = (replicas: number, desired?: string) =>
    set(
      "v1",
      desired === undefined ? {} : { [`${KEY}/desired-replicas`]: desired },
      replicas,
    );
  strictEqual(annotatedSize(noted(1, "5"), "desired"), 5);
  strictEqual(annotatedSize(noted(1, "5"), "most"), NaN);
  strictEqual(isResized(deployment(), [noted(1, "5")]), true);
  strictEqual(isResized(deployment(), [noted(1, "3")]), false);
  strictEqual(isResized(deployment(), [noted(0, "5")]), false);
  strictEqual(isResized(deployment(), [noted(1)]), false);
});

Deno.test("how a version went is noted under its number, and tells which one runs", () => {
  const one = numbered("v1", 4);
  const patch = (outcome: "complete" | "failed") => {
    const change = noteOutcome(one, outcome);
    return change.verb === "patch" && change.patch;
  };
  deepStrictEqual(patch("complete"), {
    metadata: { annotations: { "skerry.dev/was-complete": "4" } },
  });
  deepStrictEqual(patch("failed"), {
    metadata: { annotations: { "skerry.dev/missed-deadline": "4" } },
  });
  const bad = set("v1", {
    [`${KEY}/revision`]: "4",
    "skerry.dev/missed-deadline": "4",
  });
  const good = set("v0", {
    [`${KEY}/revision`]: "3",
    "skerry.dev/was-complete": "3",
  });
  const back = deployment({ "skerry.dev/rollback-on-deadline": "true" });
  const target = (of: Deployment, sets: readonly ReplicaSet[]) =>
    revisionsOf(of, sets).target?.metadata.uid;
  strictEqual(target(back, [bad, good]), "v0");
  strictEqual(target(deployment(), [bad, good]), "v1");
  strictEqual(target(back, [bad, numbered("v0", 3)]), "v1");
  strictEqual(target(back, [good]), undefined);
});

Deno.test("isSetOf() knows what its Deployment made of this template", () => {
  const web = deployment();
  strictEqual(isSetOf(web, set("v1")), true);
  strictEqual(isSetOf(web, set("v2")), false);
  const { ownerReferences: _owners, ...metadata } = set("v1").metadata;
  strictEqual(isSetOf(web, { ...set("v1"), metadata }), false);
});

Deno.test("deploymentOfPod() goes by the set that controls the pod", () => {
  const objects = new ScriptedObjects();
  const pod = (owner?: ApiObject): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      namespace: "shop",
      uid: "p",
      ...(owner && { ownerReferences: [controllerReference(owner)] }),
    },
    spec: { containers: [] },
  });
  const of = (owner?: ApiObject) => deploymentOfPod(pod(owner), objects.cache);
  const mine = objects.put(set("v1"));
  const { ownerReferences: _owners, ...metadata } = set("v2").metadata;
  const free = objects.put({ ...set("v2"), metadata });
  deepStrictEqual(of(mine), ["web"]);
  deepStrictEqual(of(free), []);
  deepStrictEqual(of(set("v3")), []);
  deepStrictEqual(of({ ...mine, kind: "Job" }), []);
  deepStrictEqual(of(), []);
});
