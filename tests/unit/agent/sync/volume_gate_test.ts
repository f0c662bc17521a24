/**
 * What goes on of a pod while volumes are not ready.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  mustWait,
  withoutVolumes,
} from "../../../../mod/agent/sync/volume_gate.ts";
import type { ContainerSpec } from "../../../../mod/api/types/mod.ts";
import type { PodPlan } from "../../../../mod/pod/plan/mod.ts";
import type { UnreadyVolume } from "../../../../mod/volume/mod.ts";
import { observed, sandbox } from "../../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../../support/pods.ts";

const MISSING = {
  kind: "failed",
  failures: new Map([["a", unready("a")], ["b", unready("b")]]),
  sources: new Map(),
} as const;

function unready(volume: string): UnreadyVolume {
  const words = `no ${volume}`;
  return { volume, message: words, cause: { kind: "said", words } };
}

const KEEP = { kind: "keep", sandboxId: "s", attempt: 0 } as const;

const NOTHING: PodPlan = {
  sandbox: KEEP,
  kill: [],
  reset: [],
  postStart: [],
  startEphemeral: [],
  startInit: [],
  start: [],
};

/** What a container has that mounts these volumes. */
function mounting(
  ...volumes: readonly string[]
): Pick<ContainerSpec, "volumeMounts"> {
  return { volumeMounts: volumes.map((name) => ({ name, mountPath: name })) };
}

const POD = pod({
  initContainers: [
    sidecar("side", mounting("a")),
    container("first"),
    container("second", mounting("b")),
    container("third"),
  ],
  containers: [
    container("both", mounting("a", "b", "c")),
    container("ready", mounting("c")),
    container("none"),
    container("variable", {
      env: [{
        name: "V",
        valueFrom: { fileKeyRef: { volumeName: "a", path: "f", key: "k" } },
      }],
    }),
  ],
});

function kill(name: string): PodPlan["kill"][number] {
  return {
    containerId: `${name}-1`,
    containerName: name,
    reason: "liveness_failed",
    message: "",
  };
}

Deno.test("withoutVolumes() starts and stops what needs none of the missing ones, and tells who waits", () => {
  const plan: PodPlan = {
    ...NOTHING,
    kill: ["both", "ready"].map(kill),
    start: ["both", "ready", "none", "variable"],
  };
  const gated = withoutVolumes(plan, POD, MISSING);
  deepStrictEqual(gated.plan.start, ["ready", "none"]);
  deepStrictEqual(gated.plan.kill.map((step) => step.containerName), ["ready"]);
  deepStrictEqual(
    gated.failures.map(({ cause: _cause, ...failure }) => failure),
    [
      { container: "both", reason: "FailedMount", message: "no a; no b" },
      { container: "variable", reason: "FailedMount", message: "no a" },
    ],
  );
  deepStrictEqual(gated.failures[1]?.cause, {
    kind: "volumes",
    volumes: [unready("a")],
  });
});

Deno.test("withoutVolumes() stops a container that is not to start again", () => {
  const plan: PodPlan = { ...NOTHING, kill: [kill("both")] };
  deepStrictEqual(withoutVolumes(plan, POD, MISSING), { plan, failures: [] });
});

Deno.test("withoutVolumes() starts no init container behind an ordinary one that waits", () => {
  const startInit = ["side", "first", "second", "third"];
  const gated = withoutVolumes({ ...NOTHING, startInit }, POD, MISSING);
  deepStrictEqual(gated.plan.startInit, ["first"]);
  deepStrictEqual(
    gated.failures.map((failure) => failure.container),
    ["side", "second"],
  );
});

Deno.test("withoutVolumes() leaves a plan as it is when all volumes are ready", () => {
  const plan: PodPlan = { ...NOTHING, start: ["both"] };
  const volumes = { kind: "ok", sources: new Map() } as const;
  strictEqual(withoutVolumes(plan, POD, volumes).plan, plan);
});

const CREATE = {
  kind: "create",
  attempt: 1,
  replacesId: "s",
  why: "not_ready",
} as const;
const ROWS = [
  ["a pod that begins", [], { sandbox: CREATE, start: ["none"] }, true],
  ["a sandbox for nobody", ["s"], { sandbox: CREATE, start: ["both"] }, true],
  ["no other new sandbox", ["s"], {
    sandbox: CREATE,
    start: ["both", "none"],
  }, false],
  ["nothing in a sandbox", ["s"], { sandbox: KEEP, start: ["both"] }, false],
] as const;

for (const [what, ids, plan, expected] of ROWS) {
  Deno.test(`mustWait() holds up ${what}`, () => {
    const job = {
      pod: POD,
      observed: observed([], ids.map((id) => sandbox({ id }))),
      plan: { ...NOTHING, ...plan },
    };
    strictEqual(mustWait(job, MISSING), expected);
  });
}
