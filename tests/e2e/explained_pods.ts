/**
 * Pods that do not run, each for a cause of its own, and what is to be told of them.
 *
 * @module
 */

import { type PodDraft, podManifest } from "../../scripts/lib/pod_manifest.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";

/** One pod that does not run as it should. */
export interface ExplainedPod {
  readonly name: string;
  readonly manifest: Record<string, unknown>;
  /** Reasons that its containers show while they wait, spelled as upstream (ST-08). */
  readonly reasons: readonly string[];
  /** What the message beside one of these reasons contains. */
  readonly message?: RegExp;
  /** The whole explanation, one sentence a line. */
  readonly says: RegExp;
  /** What `get pods` shows at the same time. */
  readonly shows: RegExp;
  /** Type and reason of an event that tells it. */
  readonly event?: string;
}

const TIME = String.raw`\d\d:\d\d:\d\d`;
const SPAN = String.raw`\d+ (?:s|min(?: \d+ s)?)`;
const SINCE = String.raw`since ${TIME} \(${SPAN}\)`;
const NEXT_TRY = String.raw`next try (?:at once|at ${TIME} \(in ${SPAN}\))`;
const AGAIN = String
  .raw`(?:waits to start again until ${TIME} \(CrashLoopBackOff, in ${SPAN}\)|is started again now \(CrashLoopBackOff\)): it ended (?:once|\d+ times), last with`;

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
  return { exec: { command: shell(script) }, periodSeconds: 1 };
}

/** Pods that the node takes but that do not get to run. */
const UNSTARTED: readonly ExplainedPod[] = [
  {
    // Nobody listens there.
    ...pod("pull", { image: "localhost:1/nothing:1" }),
    reasons: ["ErrImagePull", "ImagePullBackOff"],
    message: /connection refused/,
    says: line(
      String
        .raw`The image "localhost:1/nothing:1" of container "main" cannot be pulled \(ImagePullBackOff\), ${NEXT_TRY}: Head "https?://localhost:1/v2/nothing/manifests/1": .*connection refused`,
    ),
    shows: /ImagePullBackOff/,
    event: "Normal BackOff",
  },
  {
    ...pod("never", { image: "localhost/no:1", imagePullPolicy: "Never" }),
    reasons: ["ErrImageNeverPull"],
    message: /localhost\/no:1/,
    says: line(
      String
        .raw`The image "localhost/no:1" of container "main" is not on this node and may not be pulled \(imagePullPolicy Never\), ${NEXT_TRY}`,
    ),
    shows: /ErrImageNeverPull/,
    event: "Warning ErrImageNeverPull",
  },
  {
    ...pod("misnamed", { image: "Upper/Case:1" }),
    reasons: ["InvalidImageName"],
    message: /couldn't parse image reference "Upper\/Case:1"/,
    says: line(
      'The image name "Upper/Case:1" of container "main" is not valid: invalid reference format: repository name must be lowercase',
    ),
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
    says: line(
      String
        .raw`ConfigMap default/settings is missing \(wanted by container "main"\), ${NEXT_TRY}`,
    ),
    shows: /CreateContainerConfigError/,
    event: "Warning Failed",
  },
  {
    ...pod("no-files", {
      volumeMounts: [{ name: "cfg", mountPath: "/cfg" }],
    }, { volumes: [{ name: "cfg", configMap: { name: "files" } }] }),
    reasons: ["ContainerCreating"],
    says: line(
      String
        .raw`ConfigMap default/files is missing \(wanted by volume "cfg"\), ${NEXT_TRY}`,
    ),
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
    says: line(
      String
        .raw`Container "main" cannot be created, ${NEXT_TRY}: .*none\.json.*`,
    ),
    shows: /CreateContainerError/,
    event: "Warning Failed",
  },
  {
    ...pod("no-command", { command: ["/no/such/command"] }),
    reasons: ["RunContainerError", "CrashLoopBackOff"],
    message: /stat \/no\/such\/command: no such file or directory/,
    says: line(
      String
        .raw`Container "main" ${AGAIN} exit code 128 \(StartError: it could not be started\) at ${TIME}: exec: "/no/such/command": stat /no/such/command: no such file or directory`,
    ),
    shows: /CrashLoopBackOff/,
    event: "Warning Failed",
  },
  {
    // A file, not a directory.
    ...pod("no-directory", { workingDir: "/etc/passwd" }),
    reasons: ["RunContainerError", "CrashLoopBackOff"],
    message: /mkdir \/etc\/passwd: not a directory/,
    says: line(
      String
        .raw`Container "main" ${AGAIN} exit code 128 \(StartError: it could not be started\) at ${TIME}: .*/etc/passwd: not a directory`,
    ),
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
    says: line(
      String
        .raw`Init container 2 of 3, "b", ${AGAIN} exit code 1 at ${TIME}`,
    ),
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
    says: line(
      String
        .raw`Container "main" ${AGAIN} exit code 3 at ${TIME}: no table`,
    ),
    shows: /CrashLoopBackOff/,
    event: "Warning BackOff",
  },
  {
    ...pod("hook", {
      lifecycle: { postStart: { exec: { command: shell("exit 5") } } },
    }),
    reasons: ["PostStartHookError", "CrashLoopBackOff"],
    message: /its command ended with "5"/,
    says: line(
      String
        .raw`Container "main" ${AGAIN} exit code 0 at ${TIME}, stopped because its postStart hook failed`,
    ),
    shows: /CrashLoopBackOff/,
    event: "Warning FailedPostStartHook",
  },
  {
    ...pod("unalive", {
      livenessProbe: { ...exec("echo deaf; exit 1"), failureThreshold: 1 },
    }),
    reasons: ["CrashLoopBackOff"],
    says: line(
      String
        .raw`Container "main" ${AGAIN} exit code 0 at ${TIME}, stopped because its liveness probe failed: deaf`,
    ),
    shows: /CrashLoopBackOff/,
    event: "Normal Killing",
  },
  {
    ...pod("unready", { readinessProbe: exec("echo not yet; exit 1") }),
    reasons: [],
    says: line(
      String
        .raw`The readiness probe of container "main" has been failing ${SINCE}: not yet`,
    ),
    shows: /0\/1 +Running/,
    event: "Warning Unhealthy",
  },
  {
    ...pod("starting", {
      startupProbe: { ...exec("echo warming; exit 1"), failureThreshold: 900 },
    }),
    reasons: [],
    says: line(
      String
        .raw`Container "main" has been running ${SINCE} but has not finished starting: its startup probe has failed \d+ of 900 times: warming`,
    ),
    shows: /0\/1 +Running/,
    event: "Warning Unhealthy",
  },
  {
    ...pod("gated", {}, { readinessGates: [{ conditionType: "x.y/ok" }] }),
    reasons: [],
    says: line(
      'It waits for readiness gate "x.y/ok": nobody has set this condition',
    ),
    shows: /1\/1 +Running/,
  },
];

/** Pods that the node does not take, or that have ended. */
const OVER: readonly ExplainedPod[] = [
  {
    ...pod("second", { ports: [{ containerPort: 80, hostPort: 18_473 }] }),
    reasons: [],
    says: line("Refused: hostPort 18473 is taken by pod default/first-edge1"),
    shows: /NodePorts/,
    event: "Warning NodePorts",
  },
  {
    ...pod("big", { resources: { requests: { memory: "100Ti" } } }),
    reasons: [],
    says: line(
      String
        .raw`Refused: it asks for 100Ti of memory, and this node has only [\d.]+Gi`,
    ),
    shows: /OutOfmemory/,
    event: "Warning OutOfmemory",
  },
  {
    ...pod("elsewhere", {}, { nodeSelector: { disk: "ssd" } }),
    reasons: [],
    says: line(
      String
        .raw`Refused: it wants a node with other labels than this one has \(nodeSelector disk=ssd\)`,
    ),
    shows: /NodeAffinity/,
    event: "Warning NodeAffinity",
  },
  {
    ...pod("failed", { command: shell("exit 7") }, { restartPolicy: "Never" }),
    reasons: [],
    says: line(
      String
        .raw`Failed: container "main" ended with exit code 7 at ${TIME}\nIt does not run again unless its manifest is changed, or removed and added`,
    ),
    shows: /Error/,
  },
  {
    ...pod("late", {}, { activeDeadlineSeconds: 1 }),
    reasons: [],
    says: line(
      String
        .raw`Failed: it ran longer than the 1 s that it may \(DeadlineExceeded, activeDeadlineSeconds\)\nIt does not run again unless its manifest is changed, or removed and added`,
    ),
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

function line(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}
