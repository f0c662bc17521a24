/**
 * That a whole agent tells each cause for which a pod does not get on.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { STOP_WORDS } from "../../../mod/explain/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { Answers, ask, probed } from "../../support/agent/probes.ts";
import { report, untilFound, untilReport } from "../../support/agent/told.ts";
import {
  areFound,
  exitCode,
  isFound,
  isTriedAgain,
  retryTime,
  type WantedFinding,
} from "../../support/findings.ts";

const NOTHING = { restartPolicy: "Never", terminationGracePeriodSeconds: 1 };

/** What the runtime refuses, the pod that meets it, and what is found of that. */
interface Row {
  readonly method: string;
  readonly details: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly finds: WantedFinding;
  /** It is tried again at no certain time. */
  readonly isSoon?: true;
}

const PULLED = {
  containers: [busybox(WEB, { image: "localhost/new:1" })],
};

const ROWS: readonly Row[] = [
  {
    method: "PullImage",
    details: "RegistryUnavailable: connection refused",
    spec: PULLED,
    finds: {
      kind: "waiting",
      container: WEB,
      reason: /^(RegistryUnavailable|ImagePullBackOff)$/,
      said: /connection refused$/,
    },
  },
  {
    method: "PullImage",
    details: "SignatureValidationFailed: no key",
    spec: PULLED,
    finds: {
      kind: "waiting",
      container: WEB,
      reason: /^(SignatureValidationFailed|ImagePullBackOff)$/,
      said: /no key$/,
    },
  },
  {
    method: "ImageStatus",
    details: "the store is locked",
    finds: {
      kind: "waiting",
      container: WEB,
      reason: "ImageInspectError",
      said: /: the store is locked$/,
    },
  },
  {
    method: "RunPodSandbox",
    details: "no network",
    finds: {
      kind: "failing",
      reason: "CreatePodSandboxError",
      said: /: no network$/,
    },
  },
  {
    method: "CreateContainer",
    details: "no space left on device",
    finds: {
      kind: "waiting",
      container: WEB,
      reason: "CreateContainerError",
      said: /: no space left on device$/,
    },
  },
  {
    method: "StartContainer",
    details:
      "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: exec format error: unknown",
    finds: {
      kind: "waiting",
      container: WEB,
      reason: "RunContainerError",
      said: /, [^:]+:\d\d:\d\d [^:]+: exec format error$/,
    },
  },
  {
    method: "PodSandboxStatus",
    details: "no answer",
    finds: { kind: "failing", reason: "FailedSync", said: /no answer$/ },
    isSoon: true,
  },
];

for (const { method, details, spec, finds, isSoon = false } of ROWS) {
  Deno.test(`explain tells that ${method} fails: ${details.slice(-30)}`, async () => {
    await using rig = await CoreRig.start({
      prepare: ({ fake }) =>
        fake.fault(method, { kind: "error", code: 2, details }),
    });
    await rig.apply("web", web(spec === undefined ? {} : { spec }));
    const found = await untilFound(rig, [finds]);
    ok(isTriedAgain(found));
    strictEqual(retryTime(found) === undefined, isSoon);
  });
}

Deno.test("explain tells of a container that has to be stopped and is not", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ uid: "fixed" }));
  await untilFound(rig, ["ready"]);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("StopContainer", error);
  // Another image, which only another container can have.
  const other = busybox(WEB, { image: "localhost/busybox:1.36" });
  rig.fake.addImage({ ref: "localhost/busybox:1.36" });
  await rig.apply("web", web({ uid: "fixed", spec: { containers: [other] } }));
  const found = await untilFound(rig, [
    "ready",
    { kind: "failing", reason: "KillContainerError", said: /no answer$/ },
  ]);
  ok(isTriedAgain(found));
  rig.fake.clearFaults();
  const { pod } = await untilFound(rig, [
    "ready",
    {
      kind: "restarted",
      said: new RegExp(`"${WEB}".* ${STOP_WORDS.spec_changed}$`),
    },
  ]);
  strictEqual(pod.status?.containerStatuses?.[0]?.restartCount, 1);
});

Deno.test("explain tells of a sandbox that has to be stopped and is not", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ uid: "fixed" }));
  await untilFound(rig, ["ready"]);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("StopPodSandbox", error);
  // One that has ended would be in nobody's way; this one is ready.
  const spec = { hostNetwork: true, containers: [busybox(WEB)] };
  await rig.apply("web", web({ uid: "fixed", spec }));
  const first = {
    kind: "failing",
    reason: "KillPodSandboxError",
    said: /no answer/,
  } as const;
  const found = await untilReport(
    rig,
    { what: first.reason },
    (report) => isFound(first, report),
  );
  ok(isTriedAgain(found));
});

/** An end that was tried in vain, whether or not it is tried again just now. */
const NOT_ENDED: readonly WantedFinding[] = [
  { kind: "ending", reason: "removed" },
  { kind: "end_failed", said: /no answer$/ },
];

Deno.test("explain tells of a pod that cannot be ended", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilFound(rig, ["ready"]);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("StopContainer", error);
  await rig.remove("web");
  await untilReport(
    rig,
    { what: "an end that failed" },
    (report) =>
      areFound(NOT_ENDED, report) ||
      areFound(NOT_ENDED.toSpliced(1, 0, "stopping_container"), report),
  );
});

Deno.test("explain tells why a pod does not end of which the runtime does not say how it is", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilFound(rig, ["ready"]);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("ContainerStatus", error);
  await rig.remove("web");
  await untilFound(rig, NOT_ENDED);
  rig.fake.clearFaults();
  await untilGone(rig);
});

Deno.test("explain tells why a container that crashes was stopped by the agent", async () => {
  await using rig = await CoreRig.start();
  new Answers(rig).set("live", "no");
  const livenessProbe = ask("live", { failureThreshold: 2 });
  await rig.apply("web", probed({ livenessProbe }));
  const found = await untilFound(rig, [{
    kind: "waiting",
    container: WEB,
    reason: "CrashLoopBackOff",
    said: `${STOP_WORDS.liveness_failed}: no`,
  }]);
  strictEqual(exitCode(found, WEB), 143);
});

/** What may be seen while all containers of a pod are begun anew. */
const ANEW: readonly WantedFinding[] = [
  { reason: "RestartingAllContainers" },
  { kind: "waiting", reason: /^(ContainerCreating|PodInitializing)$/ },
  "making_volumes",
  "creating_sandbox",
  "stopping_sandboxes",
];

Deno.test("explain tells that an exit code restarts all containers", async () => {
  await using rig = await CoreRig.start();
  const rules = [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [42] },
  }];
  const own = { restartPolicy: "Never", restartPolicyRules: rules };
  const spec = {
    ...NOTHING,
    containers: [busybox(WEB, own), busybox("other")],
  };
  await rig.apply("web", web({ spec }));
  await untilFound(rig, ["ready"]);
  rig.fake.fault("RemoveContainer", { kind: "delay", ms: 30_000 });
  rig.fake.exitContainer(rig.only(WEB).id, 42);
  await untilReport(
    rig,
    { what: "a restart" },
    (report) =>
      report.findings.some((_each, index) =>
        ANEW.some((wanted) => isFound(wanted, report, index))
      ),
  );
  rig.fake.clearFaults();
  await untilReport(
    rig,
    { what: "it runs" },
    (report) => isFound("ready", report),
  );
  const { pod, findings = [] } = report(rig) ?? {};
  match(pod?.status?.phase ?? "", /^Running$/);
  ok(!findings.some(({ reason }) => reason === "RestartingAllContainers"));
});
