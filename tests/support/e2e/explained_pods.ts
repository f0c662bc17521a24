/**
 * Pods that do not run, each for a cause of its own, and what is to be told of them.
 *
 * @module
 */

import {
  type PodDraft,
  podManifest,
} from "../../../scripts/lib/pod_manifest.ts";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";

/** One pod that does not run as it should. */
export interface ExplainedPod {
  readonly name: string;
  readonly manifest: Record<string, unknown>;
  /** Reasons that its containers show while they wait, spelled as upstream (ST-08). */
  readonly reasons: readonly string[];
  /** What the message beside one of these reasons contains. */
  readonly message?: RegExp;
  /** Of the explanation what this cause decides; the golden file has the sentences. */
  readonly says: RegExp;
  /** What `get pods` shows at the same time. */
  readonly shows: RegExp;
  /** Type and reason of an event that tells it. */
  readonly event?: string;
}

const SLEEP = [
  "sh",
  "-c",
  "trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done",
];

/** A busybox container that sleeps, unless told otherwise. */
function main(rest: Record<string, unknown> = {}): PodDraft["containers"][0] {
  return { name: "main", command: SLEEP, ...rest };
}

function shell(script: string): readonly string[] {
  return ["sh", "-c", script];
}

function pod(
  name: string,
  container: Record<string, unknown>,
  spec: Record<string, unknown> = {},
): Pick<ExplainedPod, "name" | "manifest"> {
  const draft = { ...spec, containers: [main(container)] };
  return { name, manifest: podManifest(name, draft) };
}

function exec(script: string): Record<string, unknown> {
  // What counts is the answer, however long a busy machine takes to get it.
  const exec = { command: shell(script) };
  return { exec, periodSeconds: 1, timeoutSeconds: 10 };
}

/** Pods that the node takes but that do not get to run. */
const UNSTARTED: readonly ExplainedPod[] = [
  {
    // Nobody listens there.
    ...pod("pull", { image: "localhost:1/nothing:1" }),
    reasons: ["ErrImagePull", "ImagePullBackOff"],
    message: /connection refused/,
    says: /^The image .* cannot be pulled .*connection refused$/,
    shows: /ImagePullBackOff/,
    event: "Normal BackOff",
  },
  {
    ...pod("never", { image: "localhost/no:1", imagePullPolicy: "Never" }),
    reasons: ["ErrImageNeverPull"],
    message: /localhost\/no:1/,
    says: /^The image .* may not be pulled .*$/,
    shows: /ErrImageNeverPull/,
    event: "Warning ErrImageNeverPull",
  },
  {
    ...pod("misnamed", { image: "Upper/Case:1" }),
    reasons: ["InvalidImageName"],
    message: /couldn't parse image reference "Upper\/Case:1"/,
    says: /^The image name .* is not valid: .*must be lowercase$/,
    shows: /InvalidImageName/,
    event: "Warning InspectFailed",
  },
  {
    ...pod("no-variable", {
      env: [{
        name: "A",
        valueFrom: { configMapKeyRef: { name: "settings", key: "a" } },
      }],
    }),
    reasons: ["CreateContainerConfigError"],
    message: /configmap "settings" not found/,
    says: /^ConfigMap default\/settings is missing .*$/,
    shows: /CreateContainerConfigError/,
    event: "Warning Failed",
  },
  {
    ...pod("no-files", {
      volumeMounts: [{ name: "cfg", mountPath: "/cfg" }],
    }, { volumes: [{ name: "cfg", configMap: { name: "files" } }] }),
    reasons: ["ContainerCreating"],
    says: /^ConfigMap default\/files is missing .*$/,
    shows: /ContainerCreating/,
    event: "Warning FailedMount",
  },
  {
    ...pod("no-profile", {
      securityContext: {
        seccompProfile: { type: "Localhost", localhostProfile: "none.json" },
      },
    }),
    reasons: ["CreateContainerError"],
    message: /none\.json/,
    says: /^Container "main" cannot be created, .*none\.json.*$/,
    shows: /CreateContainerError/,
    event: "Warning Failed",
  },
  {
    ...pod("no-command", { command: ["/no/such/command"] }),
    reasons: ["RunContainerError", "CrashLoopBackOff"],
    message: /stat \/no\/such\/command: no such file or directory/,
    says:
      /^Container "main" .* exit code 128 .*: exec: "\/no\/such\/command": .*no such file or directory$/,
    shows: /CrashLoopBackOff/,
    event: "Warning Failed",
  },
  {
    // A file, not a directory.
    ...pod("no-directory", { workingDir: "/etc/passwd" }),
    reasons: ["RunContainerError", "CrashLoopBackOff"],
    message: /mkdir \/etc\/passwd: not a directory/,
    says:
      /^Container "main" .* exit code 128 .*\/etc\/passwd: not a directory$/,
    shows: /CrashLoopBackOff/,
    event: "Warning BackOff",
  },
  {
    ...pod("init", {}, {
      initContainers: ["a", "b", "c"].map((name) => ({
        name,
        image: BUSYBOX_IMAGE,
        command: shell(name === "b" ? "exit 1" : "exit 0"),
      })),
    }),
    reasons: ["PodInitializing", "CrashLoopBackOff"],
    says: /^Init container 2 of 3, "b", .* exit code 1 at [\d:]+$/,
    shows: /Init:CrashLoopBackOff/,
    event: "Warning BackOff",
  },
];

/** Pods whose containers start, and are not what they should be. */
const UNWELL: readonly ExplainedPod[] = [
  {
    ...pod("crash", {
      command: shell("echo no table > /dev/termination-log; exit 3"),
    }),
    reasons: ["CrashLoopBackOff"],
    message: /back-off \d+s restarting failed container=main/,
    says: /^Container "main" .* exit code 3 at .*: no table$/,
    shows: /CrashLoopBackOff/,
    event: "Warning BackOff",
  },
  {
    ...pod("hook", {
      lifecycle: { postStart: { exec: { command: shell("exit 5") } } },
    }),
    reasons: ["PostStartHookError", "CrashLoopBackOff"],
    message: /its command ended with "5"/,
    says: /^Container "main" .* stopped because its postStart hook failed$/,
    shows: /CrashLoopBackOff/,
    event: "Warning FailedPostStartHook",
  },
  {
    ...pod("unalive", {
      livenessProbe: { ...exec("echo deaf; exit 1"), failureThreshold: 1 },
    }),
    reasons: ["CrashLoopBackOff"],
    says:
      /^Container "main" .* stopped because its liveness probe failed: deaf$/,
    shows: /CrashLoopBackOff/,
    event: "Normal Killing",
  },
  {
    ...pod("unready", { readinessProbe: exec("echo not yet; exit 1") }),
    reasons: [],
    says: /^The readiness probe .*: not yet$/,
    shows: /0\/1 +Running/,
    event: "Warning Unhealthy",
  },
  {
    ...pod("starting", {
      startupProbe: { ...exec("echo warming; exit 1"), failureThreshold: 900 },
    }),
    reasons: [],
    says: /^Container "main" .* its startup probe .*: warming$/,
    shows: /0\/1 +Running/,
    event: "Warning Unhealthy",
  },
  {
    ...pod("gated", {}, { readinessGates: [{ conditionType: "x.y/ok" }] }),
    reasons: [],
    says: /^It waits for readiness gate "x\.y\/ok": .*$/,
    shows: /1\/1 +Running/,
  },
];

/** Pods that the node does not take, or that have ended. */
const OVER: readonly ExplainedPod[] = [
  {
    ...pod("second", { ports: [{ containerPort: 80, hostPort: 18_473 }] }),
    reasons: [],
    says: /^Refused: hostPort 18473 is taken by pod default\/first-edge1$/,
    shows: /NodePorts/,
    event: "Warning NodePorts",
  },
  {
    ...pod("big", { resources: { requests: { memory: "100Ti" } } }),
    reasons: [],
    says: /^Refused: .* 100Ti of memory, .*Gi$/,
    shows: /OutOfmemory/,
    event: "Warning OutOfmemory",
  },
  {
    ...pod("elsewhere", {}, { nodeSelector: { disk: "ssd" } }),
    reasons: [],
    says: /^Refused: .*disk=ssd.*$/,
    shows: /NodeAffinity/,
    event: "Warning NodeAffinity",
  },
  {
    ...pod("failed", { command: shell("exit 7") }, { restartPolicy: "Never" }),
    reasons: [],
    says: /^Failed: .* exit code 7 .*\nIt does not run again .*$/,
    shows: /Error/,
  },
  {
    ...pod("late", {}, { activeDeadlineSeconds: 1 }),
    reasons: [],
    says: /^Failed: .*DeadlineExceeded.*\nIt does not run again .*$/,
    shows: /Completed|DeadlineExceeded|Error/,
    event: "Normal DeadlineExceeded",
  },
];

/** All of them; beside them the pod "first" has to run. */
export const EXPLAINED_PODS: readonly ExplainedPod[] = [
  ...UNSTARTED,
  ...UNWELL,
  ...OVER,
];

/** Holds the port that the pod "second" wants. */
export const FIRST: Record<string, unknown> = podManifest("first", {
  containers: [main({ ports: [{ containerPort: 80, hostPort: 18_473 }] })],
});
