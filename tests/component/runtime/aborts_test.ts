/**
 * Executions that are given up: they end with the reason, whatever they wait for, and
 * take it for no failure.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { NO_POD_CGROUPS } from "../../../mod/runtime/resources/mod.ts";
import type { SubPaths } from "../../../mod/runtime/spec/mod.ts";
import type { FakeCri } from "../../support/fake_cri/fake_cri.ts";
import { container, pod } from "../../support/pods.ts";
import { type FakeRig, fakeRig } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

const UID = "fixed-uid";
const OTHER = "localhost/other:1";
const REASON = new Error("given up");
const REFUSED = { kind: "error", code: 2, details: "no luck" } as const;

interface Row {
  /** The call that does not come back. */
  readonly method: string;
  readonly what: string;
  readonly subject: Pod;
  /** What was done for it before, as it was then. */
  readonly before?: Pod;
  /** What happens to it in between, or first. */
  readonly prepare?: (fake: FakeCri) => void;
}

function limited(cpu: string): Pod {
  const resources = { limits: { cpu, memory: "32Mi" } };
  return pod({ uid: UID, containers: [container("c", { resources })] });
}

const hooked = container("c", {
  lifecycle: { postStart: { exec: { command: ["warm-up"] } } },
});
const WITH_HOOK = pod({ containers: [hooked] });
const WITH_INIT = pod({ initContainers: [container("first")] });

function endAll(fake: FakeCri, name: string): void {
  for (const { id } of fake.running(name)) fake.exitContainer(id, 1);
}

const ROWS: readonly Row[] = [
  {
    method: "PullImage",
    what: "pulls",
    subject: pod({ containers: [container("c", { image: OTHER })] }),
  },
  { method: "PodSandboxStatus", what: "looks at its sandbox", subject: pod() },
  { method: "CreateContainer", what: "makes a container", subject: pod() },
  { method: "StartContainer", what: "starts a container", subject: pod() },
  { method: "ExecSync", what: "runs a hook", subject: WITH_HOOK },
  {
    method: "StopContainer",
    what: "stops a container whose hook failed",
    subject: WITH_HOOK,
    prepare: (fake) => fake.settings.exec = () => ({ exitCode: 1 }),
  },
  {
    method: "StopContainer",
    what: "stops an edited container",
    before: pod(),
    subject: pod({ containers: [container("c", { image: OTHER })] }),
    prepare: (fake) => void fake.addImage({ ref: OTHER }),
  },
  {
    method: "StopPodSandbox",
    what: "stops a sandbox that has ended",
    before: pod(),
    subject: pod(),
    prepare: (fake) => {
      for (const id of fake.sandboxes.keys()) fake.killSandbox(id);
    },
  },
  {
    method: "RemoveContainer",
    what: "removes a container that never ran",
    before: pod(),
    subject: pod(),
    prepare: (fake) => fake.fault("StartContainer", REFUSED, { times: 1 }),
  },
  {
    method: "RemoveContainer",
    what: "removes what an init container has left",
    before: WITH_INIT,
    subject: WITH_INIT,
    prepare: (fake) => {
      endAll(fake, "first");
      for (const id of fake.sandboxes.keys()) fake.killSandbox(id);
    },
  },
  {
    method: "UpdateContainerResources",
    what: "resizes a container",
    before: limited("100m"),
    subject: limited("200m"),
  },
];

/** Gives up the execution once the runtime is asked what it does not answer. */
async function giveUp(
  { rig, fake }: FakeRig,
  { method, subject }: Row,
): Promise<void> {
  const asked = () => fake.callsOf(method).length;
  const before = asked();
  fake.fault(method, { kind: "hang" }, { times: 1 });
  const stop = new AbortController();
  const syncing = rejects(
    rig.sync(subject, { signal: stop.signal }),
    (error) => error === REASON,
  );
  await until(() => asked() > before);
  const told = rig.told();
  stop.abort(REASON);
  await syncing;
  // Nothing of it went wrong.
  deepStrictEqual(rig.told(), told);
  await until(() => fake.unanswered.unary === 0);
}

for (const row of ROWS) {
  Deno.test(`PodExecutor.execute() can be given up while it ${row.what}`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    const isMade = row.what.endsWith("never ran");
    if (isMade) row.prepare?.(fake);
    if (row.before !== undefined) await rig.sync(row.before);
    if (!isMade) row.prepare?.(fake);
    await giveUp(both, row);
  });
}

/** Rejects, late, with what a disk would say. */
function failLate(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => reject(new Error("I/O error")));
  return promise;
}

const FOUND = { path: "/v/x", volumeRoot: "/v", device: 1, inode: 2 };

for (
  const [what, paths] of [
    ["looks for", {
      resolve: ({ signal }) => failLate(signal),
      isUnchanged: () => Promise.resolve(true),
    }],
    ["looks again at", {
      resolve: () => Promise.resolve({ kind: "ok", pinned: FOUND }),
      isUnchanged: (_, { signal } = {}) => failLate(signal),
    }],
  ] as const satisfies readonly (readonly [string, SubPaths])[]
) {
  Deno.test(`PodExecutor.execute() can be given up while it ${what} a sub-path`, async () => {
    const waits = Promise.withResolvers<void>();
    const subPaths: SubPaths = {
      resolve: (options) => {
        if (what === "looks for") waits.resolve();
        return paths.resolve(options);
      },
      isUnchanged: (pinned, options) => {
        waits.resolve();
        return paths.isUnchanged(pinned, options);
      },
    };
    await using both = await fakeRig({}, { subPaths });
    const { rig } = both;
    const volumeMounts = [{ name: "v", mountPath: "/d", subPath: "x" }];
    const subject = pod({ containers: [container("c", { volumeMounts })] });
    const volumes = new Map([["v", { hostPath: "/v", readOnly: false }]]);
    const stop = new AbortController();
    const { signal } = stop;
    const syncing = rejects(
      rig.sync(subject, { volumes, signal }),
      (error) => error === REASON,
    );
    await waits.promise;
    const told = rig.told();
    stop.abort(REASON);
    await syncing;
    deepStrictEqual(rig.told(), told);
  });
}

Deno.test("PodExecutor.execute() makes no sandbox when it is given up before", async () => {
  const stop = new AbortController();
  const ensure = () => Promise.resolve(stop.abort(REASON));
  const cgroups = { ...NO_POD_CGROUPS, ensure };
  await using both = await fakeRig({}, { cgroups });
  const { signal } = stop;
  await rejects(both.rig.sync(pod(), { signal }), (error) => error === REASON);
  // What was asked before this came before it.
  await both.rig.runtime.listPodSandbox();
  strictEqual(both.fake.callsOf("RunPodSandbox").length, 0);
});

Deno.test("PodExecutor.execute() tells of no hosts file when it was given up before", async () => {
  const stop = new AbortController();
  const update = () => Promise.resolve(stop.abort(REASON));
  const cgroups = { ...NO_POD_CGROUPS, update };
  await using both = await fakeRig({}, { cgroups });
  const subject = pod({ name: "-".repeat(70), hostNetwork: true });
  const { signal } = stop;
  await rejects(
    both.rig.sync(subject, { signal }),
    (error) => error === REASON,
  );
});
