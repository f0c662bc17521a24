/**
 * That a whole agent tells each cause for which a pod does not get on.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import {
  container,
  untilGone,
  WEB,
  web,
} from "../../support/agent/manifests.ts";
import { Answers, ask, probed } from "../../support/agent/probes.ts";
import { report, told, untilTold } from "../../support/agent/told.ts";

const NOTHING = { restartPolicy: "Never", terminationGracePeriodSeconds: 1 };

/** What the runtime refuses, the pod that meets it, and what is told of that. */
interface Row {
  readonly method: string;
  readonly details: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly says: RegExp;
}

const PULLED = {
  containers: [container(WEB, { image: "localhost/new:1" })],
};

const ROWS: readonly Row[] = [
  {
    method: "PullImage",
    details: "RegistryUnavailable: connection refused",
    spec: PULLED,
    says: /^The image .*(registry|ImagePullBackOff).*connection refused$/,
  },
  {
    method: "PullImage",
    details: "SignatureValidationFailed: no key",
    spec: PULLED,
    says: /^The image .*(signature|ImagePullBackOff).*no key$/,
  },
  {
    method: "ImageStatus",
    details: "the store is locked",
    says: /^The runtime cannot tell .*, next try .*: the store is locked$/,
  },
  {
    method: "RunPodSandbox",
    details: "no network",
    says: /^Its sandbox cannot be made, next try .*: no network$/,
  },
  {
    method: "CreateContainer",
    details: "no space left on device",
    says:
      /^Container .* cannot be created, next try .*: no space left on device$/,
  },
  {
    method: "StartContainer",
    details:
      "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: exec format error: unknown",
    says: /^Container .* cannot be started, next try .*: exec format error$/,
  },
  {
    method: "PodSandboxStatus",
    details: "no answer",
    says: /^It could not be looked after, .*: no answer$/,
  },
];

for (const { method, details, spec, says } of ROWS) {
  Deno.test(`explain tells that ${method} fails: ${details.slice(-30)}`, async () => {
    await using rig = await CoreRig.start({
      prepare: ({ fake }) =>
        fake.fault(method, { kind: "error", code: 2, details }),
    });
    await rig.apply("web", web(spec === undefined ? {} : { spec }));
    await untilTold(rig, says);
  });
}

Deno.test("explain tells of a container that has to be stopped and is not", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ uid: "fixed" }));
  await untilTold(rig, /^It runs/);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("StopContainer", error);
  // Another image, which only another container can have.
  const other = container(WEB, { image: "localhost/busybox:1.36" });
  rig.fake.addImage({ ref: "localhost/busybox:1.36" });
  await rig.apply("web", web({ uid: "fixed", spec: { containers: [other] } }));
  await untilTold(
    rig,
    /^It runs: .*\n.* has to end first cannot be stopped, .*: no answer$/,
  );
  rig.fake.clearFaults();
  await untilTold(
    rig,
    /^It runs: .*\n.* has restarted once, .* its definition changed$/,
  );
});

Deno.test("explain tells of a sandbox that has to be stopped and is not", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ uid: "fixed" }));
  await untilTold(rig, /^It runs/);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("StopPodSandbox", error);
  // One that has ended would be in nobody's way; this one is ready.
  const spec = { hostNetwork: true, containers: [container(WEB)] };
  await rig.apply("web", web({ uid: "fixed", spec }));
  await untilTold(
    rig,
    /^What ran before cannot be stopped, .*no answer/,
  );
});

Deno.test("explain tells of a pod that cannot be ended", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilTold(rig, /^It runs/);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("StopContainer", error);
  await rig.remove("web");
  await untilTold(
    rig,
    /^It has been ending .*\n(.*\n)?It could not be ended .*: no answer$/,
  );
});

Deno.test("explain tells why a pod does not end of which the runtime does not say how it is", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilTold(rig, /^It runs/);
  const error = { kind: "error", code: 2, details: "no answer" } as const;
  rig.fake.fault("ContainerStatus", error);
  await rig.remove("web");
  await untilTold(rig, /^It .*\nIt could not be ended .*: no answer$/);
  rig.fake.clearFaults();
  await untilGone(rig);
});

Deno.test("explain tells why a container that crashes was stopped by the agent", async () => {
  await using rig = await CoreRig.start();
  new Answers(rig).set("live", "no");
  const livenessProbe = ask("live", { failureThreshold: 2 });
  await rig.apply("web", probed({ livenessProbe }));
  await untilTold(
    rig,
    /CrashLoopBackOff.* exit code 143 .* its liveness probe failed: no$/,
  );
});

Deno.test("explain tells that an exit code restarts all containers", async () => {
  await using rig = await CoreRig.start();
  const rules = [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [42] },
  }];
  const own = { restartPolicy: "Never", restartPolicyRules: rules };
  const spec = {
    ...NOTHING,
    containers: [container(WEB, own), container("other")],
  };
  await rig.apply("web", web({ spec }));
  await untilTold(rig, /^It runs/);
  rig.fake.fault("RemoveContainer", { kind: "delay", ms: 30_000 });
  rig.fake.exitContainer(rig.only(WEB).id, 42);
  await untilTold(
    rig,
    /(containers are being restarted|is being restarted with all others of the pod|Making|Stopping|has not been started)/,
  );
  rig.fake.clearFaults();
  await untilTold(rig, /^It runs/);
  strictEqual(report(rig)?.pod.status?.phase, "Running");
  strictEqual(told(rig).includes("restarted with"), false);
});
