/**
 * Statuses on their way to an API server (ST-11 and its like).
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { ApiFailure, type FailureReason } from "../../../mod/api/access/mod.ts";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import {
  ApiStatusSink,
  type ShownPod,
} from "../../../mod/status/api_status_sink.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const SIGNAL = new AbortController().signal;

function pod(
  { uid = "u1", version = "1", source = "api", status }: {
    readonly uid?: string;
    readonly version?: string;
    readonly source?: string;
    readonly status?: PodStatus;
  } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      namespace: "shop",
      uid,
      resourceVersion: version,
      annotations: { "kubernetes.io/config.source": source },
    },
    spec: { containers: [{ name: "c" }] },
    ...(status !== undefined && { status }),
  };
}

/** A server that knows one pod, and answers as told. */
class Rig {
  shown: ShownPod = { kind: "present", pod: pod() };
  mayRun = false;
  refusal: FailureReason | undefined;
  /** The version of the next answer. */
  version = 2;
  readonly patches: unknown[] = [];
  readonly sink = new ApiStatusSink({
    clock: new FakeClock(0),
    shown: () => this.shown,
    mayRun: () => this.mayRun,
    patchStatus: (remote, patch) => {
      this.patches.push(patch);
      if (this.refusal !== undefined) {
        return Promise.reject(new ApiFailure(this.refusal, "no"));
      }
      const status = { ...remote.status, ...patch };
      const version = `${this.version++}`;
      const { uid } = remote.metadata;
      return Promise.resolve(pod({ uid, version, status }));
    },
  });

  async put(
    status: PodStatus,
    of: Pod = pod(),
    finished = false,
  ): Promise<string> {
    const { uid } = of.metadata;
    const stored = { pod: of, version: 1, status, finished };
    const update = { uid, ...stored, patch: () => ({}) };
    return (await this.sink.put(update, SIGNAL)).kind;
  }

  drifted(status: PodStatus, shown: Pod): boolean {
    const stored = { pod: pod(), version: 1, status, finished: false };
    return this.sink.hasDrifted(stored, shown);
  }
}

const RUNNING: PodStatus = { phase: "Running", conditions: [] };

Deno.test("ApiStatusSink writes what differs from what the server shows", async () => {
  const rig = new Rig();
  rig.shown = {
    kind: "present",
    pod: pod({ status: { phase: "Pending", hostIP: "192.0.2.1" } }),
  };
  strictEqual(
    await rig.put({ phase: "Running", hostIP: "192.0.2.1", podIP: "10.0.0.2" }),
    "taken",
  );
  deepStrictEqual(rig.patches, [
    { phase: "Running", podIP: "10.0.0.2", conditions: [] },
  ]);
});

Deno.test("ApiStatusSink writes nothing that the server has", async () => {
  const rig = new Rig();
  rig.shown = { kind: "present", pod: pod({ status: RUNNING }) };
  strictEqual(await rig.put(RUNNING), "taken");
  deepStrictEqual(rig.patches, []);
});

Deno.test("ApiStatusSink goes on from its own answer while the watch is behind", async () => {
  const rig = new Rig();
  await rig.put(RUNNING);
  await rig.put({ ...RUNNING, podIP: "10.0.0.2" });
  deepStrictEqual(rig.patches.slice(1), [{ podIP: "10.0.0.2" }]);
});

Deno.test("ApiStatusSink goes on from what the watch shows once that is newer", async () => {
  const rig = new Rig();
  await rig.put(RUNNING);
  const status = { phase: "Unknown", conditions: [] } as const;
  rig.shown = { kind: "present", pod: pod({ version: "3", status }) };
  await rig.put(RUNNING);
  deepStrictEqual(rig.patches.slice(1), [{ phase: "Running" }]);
});

for (
  const [name, shown, source, expected] of [
    ["a server that is silent", { kind: "unknown" }, "api", "deferred"],
    ["a pod that is gone there", { kind: "absent" }, "api", "gone"],
    ["a mirror that is not there yet", { kind: "absent" }, "file", "deferred"],
    [
      "another pod of its name",
      { kind: "present", pod: pod({ uid: "u2" }) },
      "api",
      "replaced",
    ],
  ] as const
) {
  Deno.test(`ApiStatusSink makes no call for ${name}: ${expected}`, async () => {
    const rig = new Rig();
    rig.shown = shown;
    strictEqual(await rig.put(RUNNING, pod({ source })), expected);
    deepStrictEqual(rig.patches, []);
  });
}

Deno.test("ApiStatusSink tells nothing of a pod of the node's own controllers, whatever has its name", async () => {
  const rig = new Rig();
  strictEqual(
    await rig.put(RUNNING, pod({ uid: "u2", source: "local" })),
    "taken",
  );
  deepStrictEqual(rig.patches, []);
});

Deno.test("ApiStatusSink writes the status of a static pod to its mirror", async () => {
  const rig = new Rig();
  rig.shown = { kind: "present", pod: pod({ uid: "mirror" }) };
  strictEqual(await rig.put(RUNNING, pod({ source: "file" })), "taken");
  strictEqual(rig.patches.length, 1);
  await rig.put({ ...RUNNING, podIP: "10.0.0.2" }, pod({ source: "file" }));
  deepStrictEqual(rig.patches.slice(1), [{ podIP: "10.0.0.2" }]);
  // A mirror that was made anew has nothing of it.
  rig.shown = { kind: "present", pod: pod({ uid: "mirror-2" }) };
  await rig.put(RUNNING, pod({ source: "file" }));
  deepStrictEqual(rig.patches.slice(2), [RUNNING]);
});

for (
  const [source, expected] of [["api", "gone"], ["file", "deferred"]] as const
) {
  Deno.test(`ApiStatusSink takes a 404 for a pod of ${source} as ${expected}`, async () => {
    const rig = new Rig();
    rig.refusal = "NotFound";
    strictEqual(await rig.put(RUNNING, pod({ source })), expected);
  });
}

Deno.test("ApiStatusSink has any other refusal tried again", async () => {
  const rig = new Rig();
  rig.refusal = "Conflict";
  await rejects(rig.put(RUNNING), ApiFailure);
});

Deno.test("ApiStatusSink gives up how a deleted pod ended if the server does not take it, and nothing else", async () => {
  const rig = new Rig();
  const ended: PodStatus = { phase: "Failed", conditions: [] };
  rig.refusal = "Invalid";
  await rejects(rig.put(ended, pod(), true), ApiFailure);
  const { metadata, ...rest } = pod();
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const deleted = { ...rest, metadata: { ...metadata, deletionTimestamp } };
  rig.shown = { kind: "present", pod: deleted };
  await rejects(rig.put(ended), ApiFailure);
  strictEqual(await rig.put(ended, pod(), true), "gone");
  rig.refusal = "Forbidden";
  await rejects(rig.put(ended, pod(), true), ApiFailure);
});

Deno.test("ApiStatusSink keeps the end of a pod back while something of it may run", async () => {
  const rig = new Rig();
  rig.shown = { kind: "present", pod: pod({ status: RUNNING }) };
  rig.mayRun = true;
  await rig.put({ ...RUNNING, phase: "Succeeded" });
  deepStrictEqual(rig.patches, []);
  rig.mayRun = false;
  await rig.put({ ...RUNNING, phase: "Succeeded" });
  deepStrictEqual(rig.patches, [{ phase: "Succeeded" }]);
});

Deno.test("ApiStatusSink forgets the answer for a pod that is gone here", async () => {
  const rig = new Rig();
  await rig.put(RUNNING);
  await rig.sink.remove("u1");
  await rig.put(RUNNING);
  deepStrictEqual(rig.patches[1], rig.patches[0]);
});

const versions: readonly {
  readonly name: string;
  readonly shown: Pod;
  readonly expected: boolean;
}[] = [
  {
    name: "the echo of its own write",
    shown: pod({ version: "2", status: RUNNING }),
    expected: false,
  },
  {
    name: "an older picture than its own answer",
    shown: pod({ version: "1", status: { phase: "Pending" } }),
    expected: false,
  },
  {
    name: "a phase that somebody wrote",
    shown: pod({ version: "3", status: { ...RUNNING, phase: "Unknown" } }),
    expected: true,
  },
  {
    name: "an end that somebody wrote",
    shown: pod({ version: "3", status: { ...RUNNING, phase: "Failed" } }),
    expected: false,
  },
  {
    name: "a condition of somebody else",
    shown: pod({
      version: "3",
      status: {
        ...RUNNING,
        conditions: [{ type: "example.com/gate", status: "True" }],
      },
    }),
    expected: false,
  },
];
for (const { name, shown, expected } of versions) {
  Deno.test(`hasDrifted() is ${expected} for ${name}`, async () => {
    const rig = new Rig();
    await rig.put(RUNNING);
    strictEqual(rig.drifted(RUNNING, shown), expected);
  });
}

for (const phase of ["Failed", "Succeeded"]) {
  Deno.test(`ApiStatusSink never takes "${phase}" back`, async () => {
    const rig = new Rig();
    const status = { ...RUNNING, phase };
    rig.shown = { kind: "present", pod: pod({ status }) };
    strictEqual(await rig.put({ ...RUNNING, phase: "Pending" }), "taken");
    deepStrictEqual(rig.patches, []);
    await rig.put({ ...status, message: "over" });
    deepStrictEqual(rig.patches, [{ message: "over" }]);
  });
}

Deno.test("ApiStatusSink.close() says that a pod is over of which nothing is here", async () => {
  const rig = new Rig();
  const containerStatuses = [
    { name: "c", image: "a", imageID: "", ready: true, restartCount: 2 },
  ];
  const ready = { type: "Ready", status: "True" };
  const gate = { type: "example.com/gate", status: "True" };
  const shown = pod({
    status: { phase: "Running", conditions: [ready, gate], containerStatuses },
  });
  await rig.sink.close(
    { ...shown, metadata: { ...shown.metadata, generation: 3 } },
    undefined,
    SIGNAL,
  );
  const [patch] = rig.patches;
  ok(isRecord(patch));
  strictEqual(patch["phase"], "Failed");
  strictEqual(patch["observedGeneration"], 3);
  match(JSON.stringify(patch["containerStatuses"]), /"exitCode":137/);
  const conditions = JSON.stringify(patch["conditions"]);
  match(conditions, /PodFailed/);
  ok(!conditions.includes("example.com/gate"));
});

Deno.test("ApiStatusSink.close() says why a pod cannot run", async () => {
  const rig = new Rig();
  const shown = pod({ status: { phase: "Pending", conditions: [] } });
  await rig.sink.close(shown, { reason: "Bad", message: "is bad" }, SIGNAL);
  deepStrictEqual(rig.patches, [
    { phase: "Failed", reason: "Bad", message: "is bad" },
  ]);
});

Deno.test("ApiStatusSink.close() leaves alone what is over, also when the watch does not show it yet", async () => {
  const rig = new Rig();
  const over = pod({ status: { phase: "Succeeded" } });
  await rig.sink.close(over, undefined, SIGNAL);
  rig.shown = { kind: "present", pod: pod({ status: RUNNING }) };
  await rig.put({ ...RUNNING, phase: "Succeeded" });
  strictEqual(rig.patches.length, 1);
  // Nothing of it is here any more, and the watch is behind.
  await rig.sink.remove("u1");
  await rig.sink.close(pod({ status: RUNNING }), undefined, SIGNAL);
  strictEqual(rig.patches.length, 1);
  rig.sink.forget("u1");
  await rig.sink.close(pod({ status: RUNNING }), undefined, SIGNAL);
  await rig.sink.close(pod({ status: RUNNING }), undefined, SIGNAL);
  strictEqual(rig.patches.length, 2);
});
