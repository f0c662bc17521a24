/**
 * The kubelet's events: one row for each reason that concerns pods.
 *
 * The reasons are those of Kubernetes' pkg/kubelet/events/event.go, the messages those
 * at its callers. What is not here has another test or does not come up, see
 * {@linkcode ELSEWHERE}.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { RecordedEvent } from "../../../mod/events/mod.ts";
import { getCpuCount } from "../../../mod/host/machine/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { CONTAINER_EVENT_ROWS } from "../../support/agent/events_of_containers.ts";
import { POD_EVENT_ROWS } from "../../support/agent/events_of_pods.ts";
import {
  cpu,
  type EventRow,
  of,
  SERVER,
  type Told,
} from "../../support/agent/events_row.ts";
import { ON_LOOPBACK } from "../../support/agent/other_runtime.ts";
import { serveHttp } from "../../support/peers/http_server.ts";

/** What is not shown here, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  FailedCreatePodContainer: "tests/component/runtime/resize_test.ts",
  LifecycleHTTPFallback: "tests/unit/runtime/hooks_test.ts",
  AlreadyMountedVolume: "tests/component/volume/claims_test.ts",
  // Nothing is mounted or attached: volumes are directories made by the agent.
  FailedAttachVolume: "does not come up",
  FailedMapVolume: "does not come up",
  // The agent does not ask the runtime whether its network is ready: making the
  // sandbox fails, which tells the same in the runtime's own words.
  NetworkNotReady: "FailedCreatePodSandBox",
  // Addresses of both families are taken as they are.
  HostIPsIPFamilyMismatch: "does not come up",
  // No pod makes room for another one.
  Preempting: "does not come up",
  // DRA and declared node features need an API server.
  FailedPrepareDynamicResources: "does not come up",
  FailedNodeDeclaredFeaturesCheck: "does not come up",
};

const ROWS: readonly EventRow[] = [...CONTAINER_EVENT_ROWS, ...POD_EVENT_ROWS];

for (const { when, rig: options = {}, run, told } of ROWS) {
  const reasons = [...new Set(told.map(([, reason]) => reason))].join(", ");
  Deno.test(`Agent tells ${reasons} when ${when}`, async () => {
    await using rig = await CoreRig.start(options);
    await run(rig);
    for (const one of told) {
      await rig.until(
        () => eventsOf(rig).some((event) => fits(event, one)),
        `${one.join(" | ")} among\n${eventsOf(rig).map(textOf).join("\n")}`,
      );
    }
    rig.fake.clearFaults();
  });
}

Deno.test("Agent tells ProbeWarning when a probe is sent to another host", async () => {
  await using server = await serveHttp((_request, response) => {
    response.writeHead(302, { location: "http://elsewhere.invalid/" });
    response.end();
  });
  await using rig = await CoreRig.start(ON_LOOPBACK);
  const readinessProbe = {
    httpGet: { port: server.port, path: "/" },
    periodSeconds: 1,
  };
  await rig.apply("web", of({ readinessProbe }));
  await rig.until(
    () => eventsOf(rig).some(({ reason }) => reason === "ProbeWarning"),
    "the warning",
  );
  const event = eventsOf(rig).find(({ reason }) => reason === "ProbeWarning");
  deepStrictEqual([event?.type, event?.fieldPath], ["Warning", SERVER]);
  ok(event?.message.startsWith("Readiness probe warning: "));
});

Deno.test("Agent tells ResizeDeferred when a resize has to wait for another pod", async () => {
  await using rig = await CoreRig.start();
  const cpus = getCpuCount();
  const half = (name: string, amount: string) => ({
    ...cpu(amount),
    metadata: { name, uid: `u-${name}` },
  });
  await rig.apply("web", half("web", "100m"));
  await rig.apply("other", half("other", `${cpus * 1000 - 500}m`));
  await rig.until(() => rig.ready().length === 2, "both pods");
  await rig.apply("web", half("web", `${cpus}`));
  await rig.until(
    () => rig.events("web").includes("Warning ResizeDeferred"),
    "the event",
  );
});

Deno.test("Agent tells every reason of the kubelet that concerns pods", () => {
  const shown = new Set([
    ...ROWS.flatMap(({ told }) => told.map(([, reason]) => reason)),
    ...["ProbeWarning", "ResizeDeferred"],
    ...Object.keys(ELSEWHERE),
  ]);
  // pkg/kubelet/events/event.go, without those about the node.
  const reasons = [
    ...["Created", "Started", "Failed", "Killing", "BackOff"],
    ...["ExceededGracePeriod", "FailedKillPod", "FailedCreatePodContainer"],
    ...["FailedMakePodDataDirectories", "NetworkNotReady", "FailedSync"],
    ...["Preempting", "Pulling", "Pulled", "InspectFailed"],
    ...["ErrImageNeverPull", "FailedAttachVolume", "FailedMount"],
    ...["FailedMapVolume", "AlreadyMountedVolume", "SandboxChanged"],
    ...["FailedCreatePodSandBox", "FailedPodSandBoxStatus", "FailedValidation"],
    ...["FailedPostStartHook", "FailedPreStopHook", "Unhealthy"],
    ...["ProbeWarning", "LifecycleHTTPFallback", "DNSConfigForming"],
    ...["MissingClusterDNS", "FailedToRetrieveImagePullSecret"],
    ...["HostIPsIPFamilyMismatch", "Evicted", "DeadlineExceeded"],
    ...["ResizeStarted", "ResizeCompleted", "ResizeDeferred"],
    ...["ResizeInfeasible", "ResizeError", "FailedPrepareDynamicResources"],
    ...["FailedNodeDeclaredFeaturesCheck"],
  ];
  deepStrictEqual(reasons.filter((reason) => !shown.has(reason)), []);
  strictEqual(new Set(reasons).size, reasons.length);
});

function eventsOf(rig: CoreRig): readonly RecordedEvent[] {
  return rig.core.events.list()
    .filter(({ pod }) => pod.name === `web-${NODE}`);
}

function fits(event: RecordedEvent, [type, reason, path, message]: Told) {
  return event.type === type && event.reason === reason &&
    event.fieldPath === path &&
    (typeof message === "string"
      ? event.message === message
      : message.test(event.message));
}

function textOf(event: RecordedEvent): string {
  const { type, reason, fieldPath = "", message } = event;
  return `${type} ${reason} ${fieldPath}: ${message}`;
}
