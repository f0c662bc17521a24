/**
 * Variables and mounts, as programs in containers see them.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  containerOf,
  execIn,
  firstProcessIn,
  idOf,
  untilPodRuns,
  waitingOf,
} from "../support/e2e/inside.ts";
import { configMap } from "../support/local_objects.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];
const SECRET_VALUE = "hunter2 $(A)";

withRuntime("environment and mounts from inside", (test) => {
  test("variables, arguments and references (RT-27)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "map.json",
      configMap("settings", { A: "map", COLOR: "red" }),
    );
    await agent.apply("secret.json", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "safe" },
      stringData: { PASSWORD: SECRET_VALUE },
    });
    await agent.apply("env.json", envPod());
    const pod = await untilPodRuns(agent, "env");
    const { variables, args } = await firstProcessIn(runtime, idOf(pod, "c"));
    const { uid, name, namespace } = pod.metadata;
    const ip = pod.status?.podIP ?? "";
    notStrictEqual(ip, "");
    const expected: Record<string, string> = {
      A: "1",
      B: "1-$(C)",
      C: "$(A)",
      D: "$(D)",
      P_A: "map",
      P_COLOR: "red",
      PASSWORD: SECRET_VALUE,
      PASS: SECRET_VALUE,
      HUE: "red",
      NAME: name,
      NS: namespace,
      UID: uid,
      LABEL: "web",
      IP: ip,
      CPU: "2",
      MEM: "96",
      FREE: "1",
    };
    for (const [key, value] of Object.entries(expected)) {
      strictEqual(variables.get(key), value, key);
    }
    strictEqual(variables.has("GONE"), false);
    deepStrictEqual(args.slice(-3), ["1", "$(A)", "$(NOPE)"]);
    ok(!(await agent.logTail(10_000)).includes("hunter2"));
  });

  test("a missing ConfigMap is named, and the container starts once it is there (VO-14)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "late.json",
      podManifest("late", {
        containers: [{
          name: "c",
          command: SLEEP,
          envFrom: [
            { configMapRef: { name: "late" } },
            { secretRef: { name: "never", optional: true } },
          ],
        }],
      }),
    );
    const pods = await agent.until(
      "late waits for its ConfigMap",
      (pods) =>
        waitingOf(find(pods, "late"), "c")?.reason ===
          "CreateContainerConfigError",
    );
    strictEqual(
      waitingOf(find(pods, "late"), "c")?.message,
      'configmap "late" not found',
    );
    await agent.apply("map.json", configMap("late", { WORD: "at last" }));
    const pod = await untilPodRuns(agent, "late");
    const { variables } = await firstProcessIn(runtime, idOf(pod, "c"));
    strictEqual(variables.get("WORD"), "at last");
  });

  test("variables from a file that an init container wrote", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "file.json",
      podManifest("file", {
        volumes: [{ name: "v", emptyDir: {} }],
        initContainers: [{
          name: "init",
          image: BUSYBOX_IMAGE,
          command: ["sh", "-c", "printf \"ADDRESS='a b'\\n\" > /d/app.env"],
          volumeMounts: [{ name: "v", mountPath: "/d" }],
        }],
        containers: [{
          name: "c",
          command: SLEEP,
          env: [{
            name: "WHERE",
            valueFrom: {
              fileKeyRef: { volumeName: "v", path: "app.env", key: "ADDRESS" },
            },
          }],
        }],
      }),
    );
    const pod = await untilPodRuns(agent, "file");
    const { variables } = await firstProcessIn(runtime, idOf(pod, "c"));
    strictEqual(variables.get("WHERE"), "a b");
  });

  test("variables from a file of a volume that nobody mounts (RT-27)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const reading = (name: string, optional: boolean) => ({
      name,
      command: SLEEP,
      env: [{
        name: "WHERE",
        valueFrom: {
          fileKeyRef: { volumeName: "v", path: "x.env", key: "A", optional },
        },
      }],
    });
    await agent.apply(
      "none.json",
      podManifest("none", {
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [reading("takes", true), reading("wants", false)],
      }),
    );
    const pods = await agent.until("one runs, one waits", (pods) => {
      const pod = find(pods, "none");
      return containerOf(pod, "takes")?.state?.running !== undefined &&
        waitingOf(pod, "wants")?.reason === "CreateContainerConfigError";
    });
    strictEqual(
      waitingOf(find(pods, "none"), "wants")?.message,
      'Cannot set environment variable "WHERE": file "x.env" of volume "v" is not there',
    );
  });

  test("sub-paths: made, expanded, read-only; escapes are refused (VO-03, VO-04)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("paths.json", subPathPod());
    const pods = await agent.until(
      "one runs and the escapes wait",
      (pods) => {
        const pod = find(pods, "paths");
        return containerOf(pod, "c")?.state?.running !== undefined &&
          ESCAPES.every((_, index) =>
            waitingOf(pod, `evil${index}`)?.reason ===
              "CreateContainerConfigError"
          );
      },
    );
    const pod = find(pods, "paths");
    for (const [index] of ESCAPES.entries()) {
      const words = waitingOf(pod, `evil${index}`)?.message ?? "";
      match(words, /is not within the volume/);
    }
    const id = idOf(pod, "c");
    const inside = (script: string) => execIn(runtime, id, script);
    strictEqual(await inside("cat /file"), "from init\n");
    await inside("echo here > /made/x && echo named > /named/y");
    strictEqual(await inside("cat /whole/new/deep/x"), "here\n");
    strictEqual(await inside(`cat /whole/${pod?.metadata.name}/y`), "named\n");
    match(await inside("touch /fixed/x 2>&1 || true"), /Read-only/);
  });

  test("recursive read-only mounts are refused where the runtime has none (VO-12)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const mounting = (name: string, recursiveReadOnly: string) => ({
      name,
      command: SLEEP,
      volumeMounts: [
        { name: "v", mountPath: "/v", readOnly: true, recursiveReadOnly },
      ],
    });
    await agent.apply(
      "rro.json",
      podManifest("rro", {
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [
          mounting("wants", "Enabled"),
          mounting("takes", "IfPossible"),
        ],
      }),
    );
    const pods = await agent.until("one runs, one settles", (pods) => {
      const pod = find(pods, "rro");
      const wants = containerOf(pod, "wants")?.state;
      return containerOf(pod, "takes")?.state?.running !== undefined &&
        (wants?.running !== undefined ||
          wants?.waiting?.reason === "CreateContainerConfigError");
    });
    const pod = find(pods, "rro");
    const refusal = waitingOf(pod, "wants")?.message;
    // A newer runtime may have it; then it runs.
    if (refusal !== undefined) {
      match(
        refusal,
        /"recursiveReadOnly" is "Enabled", and .* does not/,
      );
    }
    const touched = await execIn(
      runtime,
      idOf(pod, "takes"),
      "touch /v/x 2>&1 || true",
    );
    match(touched, /Read-only/);
  });
});

/** Paths that lead out of the volume by links which an init container makes. */
const ESCAPES = ["evil", "evil/etc", "up", "root"];

function subPathPod(): Record<string, unknown> {
  const mount = (mountPath: string, rest: object) => ({
    name: "v",
    mountPath,
    ...rest,
  });
  return podManifest("paths", {
    volumes: [{ name: "v", emptyDir: {} }],
    initContainers: [{
      name: "init",
      image: BUSYBOX_IMAGE,
      command: [
        "sh",
        "-c",
        "cd /v && echo from init > one && ln -s / evil && ln -s ../../../../.. up && ln -s /proc/1/root root",
      ],
      volumeMounts: [mount("/v", {})],
    }],
    containers: [
      {
        name: "c",
        command: SLEEP,
        env: [{
          name: "POD",
          valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
        }],
        volumeMounts: [
          mount("/whole", {}),
          mount("/file", { subPath: "one" }),
          mount("/made", { subPath: "new/deep" }),
          mount("/named", { subPathExpr: "$(POD)" }),
          mount("/fixed", { subPath: "new", readOnly: true }),
        ],
      },
      ...ESCAPES.map((subPath, index) => ({
        name: `evil${index}`,
        command: SLEEP,
        volumeMounts: [mount("/host", { subPath })],
      })),
    ],
  });
}

function envPod(): Record<string, unknown> {
  const field = (name: string, fieldPath: string) => ({
    name,
    valueFrom: { fieldRef: { fieldPath } },
  });
  const amount = (name: string, resource: string, divisor: string) => ({
    name,
    valueFrom: { resourceFieldRef: { resource, divisor } },
  });
  const manifest = podManifest("env", {
    containers: [{
      name: "c",
      command: ["sh", "-c", "sleep 100000; exit 0", "sh"],
      args: ["$(A)", "$$(A)", "$(NOPE)"],
      resources: {
        requests: { cpu: "10m", memory: "64Mi" },
        limits: { cpu: "1500m", memory: "100M" },
      },
      envFrom: [
        { prefix: "P_", configMapRef: { name: "settings" } },
        { secretRef: { name: "safe" } },
      ],
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "$(A)-$(C)" },
        { name: "C", value: "$$(A)" },
        { name: "D", value: "$(D)" },
        {
          name: "HUE",
          valueFrom: { configMapKeyRef: { name: "settings", key: "COLOR" } },
        },
        {
          name: "GONE",
          valueFrom: {
            configMapKeyRef: { name: "settings", key: "NO", optional: true },
          },
        },
        {
          name: "PASS",
          valueFrom: { secretKeyRef: { name: "safe", key: "PASSWORD" } },
        },
        field("NAME", "metadata.name"),
        field("NS", "metadata.namespace"),
        field("UID", "metadata.uid"),
        field("LABEL", "metadata.labels['app']"),
        field("IP", "status.podIP"),
        amount("CPU", "limits.cpu", "1"),
        amount("MEM", "limits.memory", "1Mi"),
        amount("FREE", "requests.cpu", "1"),
      ],
    }],
  });
  return { ...manifest, metadata: { name: "env", labels: { app: "web" } } };
}
