/**
 * The pods as clients see them.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { type PodViewInput, viewPods } from "../../../mod/views/view_pods.ts";
import { pod } from "../../support/pods.ts";
import { workerView } from "../../support/agent/worker_view.ts";

const NOW_MS = Date.UTC(2026, 5, 1);

const FAULT = { field: "spec.containers", message: "Required value" };

/** A pod whose UID is its name, unless another is given. */
function podOf(name: string, uid: string = name, namespace = "default"): Pod {
  return pod({ name, namespace, uid });
}

function view(input: Partial<PodViewInput>): Pod[] {
  return viewPods({
    rolledBack: new Map(),
    workers: [],
    statusOf: () => ({ phase: "Running" }),
    reports: [],
    nodeName: "edge1",
    nowMs: NOW_MS,
    ...input,
  });
}

Deno.test("viewPods() lists pods by namespace and name, with their statuses", () => {
  const pods = [podOf("b"), podOf("a"), podOf("z", "z", "alpha")];
  const shown = view({ workers: pods.map((each) => workerView(each)) });
  deepStrictEqual(shown.map(({ metadata }) => metadata.name), ["z", "a", "b"]);
  strictEqual(shown[0]?.status?.phase, "Running");
  deepStrictEqual(shown[1]?.spec, podOf("a").spec);
});

Deno.test("viewPods() calls a pod without a status Pending", () => {
  const [shown] = view({
    workers: [workerView(podOf("a"))],
    statusOf: () => undefined,
  });
  deepStrictEqual(shown?.status, { phase: "Pending" });
});

Deno.test("viewPods() shows when a removed pod was asked to stop, and its grace", () => {
  const atMs = Date.UTC(2026, 0, 1);
  const [shown] = view({
    workers: [workerView(podOf("a"), {
      state: { kind: "terminating", cause: "removed", graceSeconds: 12 },
      stop: { kind: "begun", requestedMs: atMs },
    })],
  });
  strictEqual(shown?.metadata.deletionTimestamp, "2026-01-01T00:00:00.000Z");
  strictEqual(shown?.metadata.deletionGracePeriodSeconds, 12);
});

for (const grace of [undefined, 9]) {
  Deno.test(`viewPods() shows the grace of a removed pod that has ended: ${grace}`, () => {
    const subject = pod({
      ...grace !== undefined && { terminationGracePeriodSeconds: grace },
    });
    const [shown] = view({
      workers: [workerView(subject, {
        state: { kind: "finished", cause: "removed" },
        stop: { kind: "begun", requestedMs: 0 },
      })],
    });
    strictEqual(shown?.metadata.deletionTimestamp, "1970-01-01T00:00:00.000Z");
    strictEqual(shown.metadata.deletionGracePeriodSeconds, grace ?? 0);
  });
}

Deno.test("viewPods() does not show a pod that ended by itself as being deleted", () => {
  const [shown] = view({
    workers: [
      workerView(podOf("a"), {
        state: { kind: "finished", cause: "completed" },
      }),
    ],
  });
  strictEqual(shown?.metadata.deletionTimestamp, undefined);
});

Deno.test("viewPods() leaves out what only the runtime knows", () => {
  const orphan = workerView(podOf("a"), {
    state: { kind: "terminating", cause: "removed", graceSeconds: 30 },
    isOrphan: true,
  });
  deepStrictEqual(view({ workers: [orphan] }), []);
});

Deno.test("viewPods() says by a condition that a last good manifest runs on (I8)", () => {
  const subject = podOf("a");
  const file = "/etc/m/a.yaml";
  const [shown] = view({
    workers: [workerView(subject)],
    statusOf: () => ({
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
    }),
    reports: [{
      kind: "last_good",
      file,
      faults: [FAULT, { field: "spec", message: "Forbidden" }],
      pods: [podOf("b"), subject],
    }],
  });
  const [ready, accepted] = shown?.status?.conditions ?? [];
  strictEqual(ready?.type, "Ready");
  deepStrictEqual(
    [accepted?.type, accepted?.status, accepted?.reason],
    ["skerry.dev/ManifestAccepted", "False", "InvalidManifest"],
  );
  strictEqual(
    accepted?.message,
    'The manifest "/etc/m/a.yaml" is not valid, its last good content runs on: spec.containers: Required value; spec: Forbidden',
  );
  strictEqual(shown?.status?.phase, "Running");
});

Deno.test("viewPods() says by a condition that a newer version was rolled back", () => {
  const bad = { revision: "r2", uid: "u2", atMs: 1_000, afterMs: 120_000 };
  const [first, second] = view({
    workers: [workerView(podOf("a")), workerView(podOf("b"))],
    rolledBack: new Map([["a", bad]]),
  });
  const [condition] = first?.status?.conditions ?? [];
  deepStrictEqual(
    [condition?.type, condition?.status, condition?.lastTransitionTime],
    ["skerry.dev/RolledBack", "True", "1970-01-01T00:00:01Z"],
  );
  match(condition?.message ?? "", /"r2" \(UID "u2"\).*within 2m0s/);
  strictEqual(second?.status?.conditions, undefined);
});

Deno.test("CL-05: viewPods() shows no change of a pod that has ended as one of the future", () => {
  const conditions = (lastTransitionTime: string) => [
    { type: "Initialized", status: "True" },
    { type: "Ready", status: "False", lastTransitionTime },
  ];
  const shown = (time: string) =>
    view({
      workers: [workerView(podOf("a"))],
      statusOf: () => ({ phase: "Failed", conditions: conditions(time) }),
    })[0]?.status?.conditions;
  const past = "2026-05-31T23:59:59Z";
  deepStrictEqual(shown(past), conditions(past));
  const now = "2026-06-01T00:00:00.000Z";
  deepStrictEqual(shown(now), conditions(now));
  deepStrictEqual(
    shown("2076-01-01T00:00:00Z"),
    conditions("2026-06-01T00:00:00Z"),
  );
});

Deno.test("viewPods() shows the named pods of a refused manifest as Failed", () => {
  const named = [{ name: "bad" }, { name: "worse", namespace: "shop" }];
  const shown = view({
    reports: [{ kind: "refused", file: "/m/b.yaml", faults: [FAULT], named }],
  });
  deepStrictEqual(
    shown.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ["default/bad-edge1", "shop/worse-edge1"],
  );
  for (const { metadata, status } of shown) {
    strictEqual(metadata.uid, "");
    deepStrictEqual([status?.phase, status?.reason], [
      "Failed",
      "InvalidManifest",
    ]);
    strictEqual(
      status?.message,
      'The manifest "/m/b.yaml" is not valid: spec.containers: Required value',
    );
  }
});

Deno.test("viewPods() shows a refused pod once, and not beside one of its name that runs", () => {
  const report = (file: string) => ({
    kind: "refused" as const,
    file,
    faults: [FAULT],
    named: [{ name: "a" }, { name: "b" }],
  });
  const shown = view({
    workers: [workerView(podOf("a-edge1", "u"))],
    reports: [report("/m/1.yaml"), report("/m/2.yaml")],
  });
  deepStrictEqual(
    shown.map(({ metadata }) => [metadata.name, metadata.uid]),
    [["a-edge1", "u"], ["b-edge1", ""]],
  );
});

for (const field of ["name", "uid"] as const) {
  Deno.test(`viewPods() shows a pod whose ${field} another manifest has, unless its name runs`, () => {
    const runs = podOf("web-edge1", "u-1");
    const double = field === "name"
      ? podOf("web-edge1", "u-2")
      : podOf("late-edge1", "u-1");
    const shown = view({
      workers: [workerView(runs)],
      reports: [{
        kind: "duplicate",
        file: "/m/b.yaml",
        of: "/m/a.yaml",
        pod: double,
        field,
      }],
    });
    const refused = shown.filter(({ status }) => status?.phase === "Failed");
    strictEqual(shown.length, field === "name" ? 1 : 2);
    strictEqual(refused.length, field === "name" ? 0 : 1);
    if (field === "name") return;
    strictEqual(refused[0]?.metadata.uid, "");
    deepStrictEqual(refused[0]?.status, {
      phase: "Failed",
      reason: "DuplicatePod",
      message: 'The pod of "/m/b.yaml" has the same uid as one of "/m/a.yaml"',
    });
  });
}

Deno.test("viewPods() shows an old and a new version of a pod while the old one ends", () => {
  const shown = view({
    workers: [
      workerView(podOf("a", "old"), {
        state: { kind: "terminating", cause: "removed", graceSeconds: 5 },
        stop: { kind: "begun", requestedMs: 1 },
      }),
      workerView(podOf("a", "new")),
    ],
  });
  deepStrictEqual(shown.map(({ metadata }) => metadata.uid), ["old", "new"]);
});
