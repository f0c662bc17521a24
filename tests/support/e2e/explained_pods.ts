/**
 * Pods that do not run, each for a cause of its own, and what is to be found of them.
 *
 * @module
 */

import {
  type PodDraft,
  podManifest,
} from "../../../scripts/lib/pod_manifest.ts";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";
import { STOP_WORDS } from "../../../mod/explain/mod.ts";
import type { PodReport } from "../../../mod/server/mod.ts";
import { exitCode, failedProbe, type WantedFinding } from "../findings.ts";

/** One pod that does not run as it should. */
export interface ExplainedPod {
  readonly name: string;
  readonly manifest: Record<string, unknown>;
  /** Reasons that its containers show while they wait, spelled as upstream (ST-08). */
  readonly reasons: readonly string[];
  /** What the message beside one of these reasons contains. */
  readonly message?: RegExp;
  /** What the explanation is about; the golden file has the sentences. */
  readonly finds: readonly WantedFinding[];
  /** What else the report knows of the cause. */
  readonly knows?: (report: PodReport) => boolean;
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

/** Whether a container ended last with a code. */
function ended(
  code: number,
  container: string = "main",
): (report: PodReport) => boolean {
  return (report) => exitCode(report, container) === code;
}

/** Pods that the node takes but that do not get to run. */
const UNSTARTED: readonly ExplainedPod[] = [
  {
    // Nobody listens there.
    ...pod("pull", { image: "localhost:1/nothing:1" }),
    reasons: ["ErrImagePull", "ImagePullBackOff"],
    message: /connection refused/,
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "ImagePullBackOff",
      said: /: Head "[^:]+:.*connection refused$/,
    }],
    shows: /ImagePullBackOff/,
    event: "Normal BackOff",
  },
  {
    ...pod("never", { image: "localhost/no:1", imagePullPolicy: "Never" }),
    reasons: ["ErrImageNeverPull"],
    message: /localhost\/no:1/,
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "ErrImageNeverPull",
      said: /localhost\/no:1/,
    }],
    shows: /ErrImageNeverPull/,
    event: "Warning ErrImageNeverPull",
  },
  {
    ...pod("misnamed", { image: "Upper/Case:1" }),
    reasons: ["InvalidImageName"],
    message: /couldn't parse image reference "Upper\/Case:1"/,
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "InvalidImageName",
      said: /must be lowercase$/,
    }],
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
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CreateContainerConfigError",
      said: "ConfigMap default/settings",
    }],
    shows: /CreateContainerConfigError/,
    event: "Warning Failed",
  },
  {
    ...pod("no-files", {
      volumeMounts: [{ name: "cfg", mountPath: "/cfg" }],
    }, { volumes: [{ name: "cfg", configMap: { name: "files" } }] }),
    reasons: ["ContainerCreating"],
    finds: [{
      kind: "failing",
      reason: "FailedMount",
      said: "ConfigMap default/files",
    }],
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
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CreateContainerError",
      said: /none\.json/,
    }],
    shows: /CreateContainerError/,
    event: "Warning Failed",
  },
  {
    ...pod("no-command", { command: ["/no/such/command"] }),
    reasons: ["RunContainerError", "CrashLoopBackOff"],
    message: /stat \/no\/such\/command: no such file or directory/,
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CrashLoopBackOff",
      said:
        /\b128\b.*: exec: "\/no\/such\/command": .*no such file or directory$/,
    }],
    knows: ended(128),
    shows: /CrashLoopBackOff/,
    event: "Warning Failed",
  },
  {
    // A file, not a directory.
    ...pod("no-directory", { workingDir: "/etc/passwd" }),
    reasons: ["RunContainerError", "CrashLoopBackOff"],
    message: /mkdir \/etc\/passwd: not a directory/,
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CrashLoopBackOff",
      said: /\/etc\/passwd: not a directory$/,
    }],
    knows: ended(128),
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
    finds: [{
      kind: "waiting",
      container: "b",
      reason: "CrashLoopBackOff",
      said: /\b1 at [\d:]+$/,
    }],
    knows: ended(1, "b"),
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
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CrashLoopBackOff",
      said: /: no table$/,
    }],
    knows: ended(3),
    shows: /CrashLoopBackOff/,
    event: "Warning BackOff",
  },
  {
    ...pod("hook", {
      lifecycle: { postStart: { exec: { command: shell("exit 5") } } },
    }),
    reasons: ["PostStartHookError", "CrashLoopBackOff"],
    message: /its command ended with "5"/,
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CrashLoopBackOff",
      said: new RegExp(` ${STOP_WORDS.post_start_failed}$`),
    }],
    shows: /CrashLoopBackOff/,
    event: "Warning FailedPostStartHook",
  },
  {
    ...pod("unalive", {
      livenessProbe: { ...exec("echo deaf; exit 1"), failureThreshold: 1 },
    }),
    reasons: ["CrashLoopBackOff"],
    finds: [{
      kind: "waiting",
      container: "main",
      reason: "CrashLoopBackOff",
      said: new RegExp(` ${STOP_WORDS.liveness_failed}: deaf$`),
    }],
    shows: /CrashLoopBackOff/,
    event: "Normal Killing",
  },
  {
    ...pod("unready", { readinessProbe: exec("echo not yet; exit 1") }),
    reasons: [],
    finds: [{ kind: "unready", container: "main", said: /: not yet$/ }],
    knows: (report) => failedProbe(report, "readiness") === "not yet",
    shows: /0\/1 +Running/,
    event: "Warning Unhealthy",
  },
  {
    ...pod("starting", {
      startupProbe: { ...exec("echo warming; exit 1"), failureThreshold: 900 },
    }),
    reasons: [],
    finds: [{ kind: "starting", container: "main", said: /: warming$/ }],
    knows: (report) => failedProbe(report, "startup") === "warming",
    shows: /0\/1 +Running/,
    event: "Warning Unhealthy",
  },
  {
    ...pod("gated", {}, { readinessGates: [{ conditionType: "x.y/ok" }] }),
    reasons: [],
    finds: [{ kind: "gate", said: "x.y/ok" }],
    shows: /1\/1 +Running/,
  },
];

/** Pods that the node does not take, or that have ended. */
const OVER: readonly ExplainedPod[] = [
  {
    ...pod("second", { ports: [{ containerPort: 80, hostPort: 18_473 }] }),
    reasons: [],
    finds: [{
      kind: "refused",
      reason: "NodePorts",
      said: /\b18473 .* default\/first-edge1$/,
    }],
    shows: /NodePorts/,
    event: "Warning NodePorts",
  },
  {
    ...pod("big", { resources: { requests: { memory: "100Ti" } } }),
    reasons: [],
    finds: [{
      kind: "refused",
      reason: "OutOfmemory",
      said: /\b100Ti\b.*\bmemory\b.*Gi$/,
    }],
    shows: /OutOfmemory/,
    event: "Warning OutOfmemory",
  },
  {
    ...pod("elsewhere", {}, { nodeSelector: { disk: "ssd" } }),
    reasons: [],
    finds: [{ kind: "refused", reason: "NodeAffinity", said: /disk=ssd/ }],
    shows: /NodeAffinity/,
    event: "Warning NodeAffinity",
  },
  {
    ...pod("failed", { command: shell("exit 7") }, { restartPolicy: "Never" }),
    reasons: [],
    finds: ["failed", "final"],
    knows: ended(7),
    shows: /Error/,
  },
  {
    ...pod("late", {}, { activeDeadlineSeconds: 1 }),
    reasons: [],
    finds: [{ kind: "failed", reason: "DeadlineExceeded" }, "final"],
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
