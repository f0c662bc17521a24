/**
 * Compares what the builders ask of the runtime with what the kubelet asked.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type {
  ContainerSpec,
  Pod,
  Volume,
} from "../../../../mod/api/types/mod.ts";
import { decodeManifest } from "../../../../mod/api/read/mod.ts";
import { findContainer } from "../../../../mod/api/vocabulary/mod.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import type { ContainerConfig } from "../../../../mod/cri/config/mod.ts";
import type { VolumeSource } from "../../../../mod/pod/inputs/mod.ts";
import { wantsHostsFile } from "../../../../mod/runtime/spec/mod.ts";
import { SpecBuilder } from "../../../../mod/runtime/spec/mod.ts";
import type {
  ContainerSpecInput,
  SpecResult,
} from "../../../../mod/runtime/spec/mod.ts";
import { differences } from "../../../support/json_difference.ts";
import { GOLDEN_DEVIATIONS } from "../../../testdata/golden_deviations.ts";
import {
  containerJson,
  type Json,
  sandboxJson,
} from "../../../support/runtime/proto_json.ts";
import { BARE_CGROUPS, bareNode } from "../../../../scripts/lib/bare_node.ts";

/** A golden file, as far as it is compared here. */
interface Golden {
  readonly manifest: Json;
  readonly cri: readonly { readonly call: string; readonly request: Json }[];
}

type JsonObject = { readonly [key: string]: Json };

/**
 * Files whose pod never gets a sandbox, because another room refuses it first; the
 * builders are not asked.
 */
const NEVER_STARTED: ReadonlyMap<string, string> = new Map([
  ["hostpath-missing.json", "the volume is not ready"],
  ["node-selector-mismatch.json", "refused at admission"],
  ["runtimeclass-missing.json", "the kubelet crashes"],
  ["sysctl-unsafe.json", "refused at admission"],
  ["too-much-memory.json", "refused at admission"],
]);

/** Images that the recorded node did not have. */
const ABSENT_IMAGES: ReadonlySet<string> = new Set(["localhost/absent:1"]);

const POD_IPS = ["<POD_IP>"];

/** The node that the files were recorded on, as far as the requests show it. */
const BUILDER = new SpecBuilder({
  node: bareNode({
    // From the refusal in too-much-memory.json and the evictionHard default.
    memoryBytes: 25_276_502_016n,
    cgroups: { ...BARE_CGROUPS, hugePageSizes: ["2MB", "1GB"] },
    seccompProfileRoot: "<ROOT>/seccomp",
  }),
  podLogsDir: "<LOGS>",
  hostDns: () => undefined,
  clusterDns: [],
  clusterDomain: "",
  nodeHostsFile: () => "",
  objects: NO_OBJECTS,
});

const directory = new URL("../../../testdata/golden/", import.meta.url);
const files = Array.from(Deno.readDirSync(directory), ({ name }) => name)
  .filter((name) => name.endsWith(".json")).sort();

for (const file of files) {
  Deno.test(`the builders ask what the kubelet asked for ${file}`, async () => {
    const golden = await readGolden(file);
    const pod = identified(golden.manifest);
    const wanted = wantedCalls(golden);
    if (NEVER_STARTED.has(file)) {
      strictEqual(wanted.size, 0);
      return;
    }
    const asked = askedCalls(pod, wanted);
    const listed = GOLDEN_DEVIATIONS.filter((entry) => entry.file === file);
    const found = differences(
      Object.fromEntries(wanted),
      Object.fromEntries(asked),
    );
    for (const { path, wanted, asked } of found) {
      ok(
        listed.some((entry) => entry.path === path),
        `${path}: the kubelet asked ${wanted}, we ask ${asked}`,
      );
    }
    for (const { path } of listed) {
      ok(
        found.some((difference) => difference.path === path),
        `${path} is listed as a deviation and no longer differs`,
      );
    }
  });
}

Deno.test("the tables of the golden test name existing files only", () => {
  strictEqual(files.length, 44);
  const named = [
    ...GOLDEN_DEVIATIONS.map(({ file }) => file),
    ...NEVER_STARTED.keys(),
  ];
  deepStrictEqual(named.filter((file) => !files.includes(file)), []);
});

async function readGolden(file: string): Promise<Golden> {
  // The files are ours and of this shape.
  return JSON.parse(
    await Deno.readTextFile(new URL(file, directory)),
  ) as Golden;
}

/** The manifest's pod with the identity that the file source of `edge1` gives it. */
function identified(manifest: Json): Pod {
  const result = decodeManifest(JSON.stringify(manifest));
  if (result.kind === "refused") {
    throw new Error(
      result.faults.map(({ field, message }) => `${field}: ${message}`).join(),
    );
  }
  const [pod] = result.pods;
  if (pod === undefined) throw new Error("the manifest holds no pod");
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: `${pod.metadata.name}-edge1`,
      namespace: pod.metadata.namespace ?? "default",
      uid: "<UID>",
      annotations: {
        ...pod.metadata.annotations,
        "kubernetes.io/config.hash": "<UID>",
        "kubernetes.io/config.seen": "<TIME>",
        "kubernetes.io/config.source": "file",
      },
    },
    spec: { ...pod.spec, nodeName: "edge1" },
  };
}

/** The compared requests by `Call[index]`, with env in plain text and in order. */
function wantedCalls(golden: Golden): ReadonlyMap<string, JsonObject> {
  const calls = new Map<string, JsonObject>();
  const counts = new Map<string, number>();
  for (const { call, request } of golden.cri) {
    if (call !== "RunPodSandbox" && call !== "CreateContainer") continue;
    const index = counts.get(call) ?? 0;
    counts.set(call, index + 1);
    calls.set(`${call}[${index}]`, normal(request));
  }
  return calls;
}

/** The recorder wrote env values, which are bytes to it, in base64. */
function normal(request: Json): JsonObject {
  const copy = object(request);
  const config = object(copy["config"]);
  const envs = config["envs"];
  if (!Array.isArray(envs)) return copy;
  const plain = envs.map((env): JsonObject => {
    const { key = "", value = "" } = object(env);
    return { key, value: placeholder(atob(String(value))) };
  });
  return { ...copy, config: { ...config, envs: sortedEnv(plain) } };
}

/** A UID inside base64 escaped the recorder's placeholders. */
function placeholder(value: string): string {
  return /^[0-9a-f]{32}$/.test(value) ? "<UID>" : value;
}

function sortedEnv(envs: readonly JsonObject[]): readonly JsonObject[] {
  return envs.toSorted((a, b) => String(a["key"]) < String(b["key"]) ? -1 : 1);
}

/** What we ask for the same pod, call by call; a refusal leaves the call out. */
function askedCalls(
  pod: Pod,
  wanted: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, JsonObject> {
  const asked = new Map<string, JsonObject>();
  const volumes = volumeSources(pod);
  if (volumes === undefined) return asked;
  for (const [call, request] of wanted) {
    if (call.startsWith("RunPodSandbox")) {
      asked.set(call, { config: sandboxOf(pod, request) });
      continue;
    }
    const container = containerOf(pod, request);
    const config = object(request["config"]);
    const { attempt = 0 } = object(config["metadata"]);
    const result = build(pod, container, {
      volumes,
      restartCount: Number(attempt),
    });
    if (result.kind === "refused") continue;
    asked.set(call, {
      config: normalConfig(result.config),
      pod_sandbox_id: "<SANDBOX>",
      sandbox_config: sandboxOf(pod, undefined),
    });
  }
  addUnwanted(pod, { wanted, asked, volumes });
  return asked;
}

/** A container that the kubelet never created is one that we must refuse too. */
function addUnwanted(
  pod: Pod,
  calls: {
    readonly wanted: ReadonlyMap<string, JsonObject>;
    readonly asked: Map<string, JsonObject>;
    readonly volumes: ReadonlyMap<string, VolumeSource>;
  },
): void {
  // Behind an init container it depends on how that ended.
  if (pod.spec.initContainers !== undefined) return;
  const created = [...calls.wanted].filter(([call]) =>
    call.startsWith("CreateContainer")
  ).map(([, request]) => containerOf(pod, request).name);
  for (const container of pod.spec.containers) {
    if (created.includes(container.name)) continue;
    if (ABSENT_IMAGES.has(container.image ?? "")) continue;
    const { volumes } = calls;
    const result = build(pod, container, { volumes, restartCount: 0 });
    if (result.kind === "refused") continue;
    calls.asked.set(`CreateContainer of ${container.name}`, {
      config: normalConfig(result.config),
    });
  }
}

function sandboxOf(pod: Pod, request: JsonObject | undefined): Json {
  const metadata = object(object(request?.["config"])["metadata"]);
  const result = BUILDER.sandbox({
    pod,
    attempt: Number(metadata["attempt"] ?? 0),
  });
  if (result.kind === "refused") throw new Error(result.message);
  return sandboxJson(result.config);
}

function containerOf(pod: Pod, request: JsonObject): ContainerSpec {
  const metadata = object(object(request["config"])["metadata"]);
  const container = findContainer(pod, String(metadata["name"]));
  if (container === undefined) throw new Error("a container of another pod");
  return container;
}

function build(
  pod: Pod,
  container: ContainerSpec,
  given: Pick<ContainerSpecInput, "volumes" | "restartCount">,
): SpecResult<ContainerConfig> {
  const { name } = container;
  const needs = BUILDER.needs({
    pod,
    container,
    podIps: POD_IPS,
    volumes: given.volumes,
  });
  if (needs.kind === "refused") return needs;
  const { environment, subPaths } = needs.config;
  return BUILDER.container({
    pod,
    container,
    environment,
    subPaths: new Map(
      subPaths.map(({ mountPath, volumeRoot, subPath }) => [
        mountPath,
        `${volumeRoot}/${subPath}`,
      ]),
    ),
    ...given,
    kind: pod.spec.containers.some((app) => app.name === name) ? "app" : "init",
    sandboxId: "<SANDBOX>",
    podIps: POD_IPS,
    imageRef: "<SHA>",
    imageUser: { uid: undefined, username: "" },
    terminationLog: `<ROOT>/pods/<UID>/containers/${name}/<RAND>`,
    ...(wantsHostsFile(pod, container, POD_IPS)
      ? { hostsFile: "<ROOT>/pods/<UID>/etc-hosts" }
      : {}),
  });
}

function normalConfig(config: ContainerConfig): Json {
  const hash = "io.kubernetes.container.hash";
  match(config.annotations[hash] ?? "", /^[0-9a-f]{1,8}$/);
  const json = object(containerJson({
    ...config,
    annotations: { ...config.annotations, [hash]: "<HASH>" },
  }));
  const envs = config.envs ?? [];
  return envs.length === 0
    ? json
    : { ...json, envs: sortedEnv(envs.map((env) => ({ ...env }))) };
}

/** Where the volumes lie, or nothing when one of them is of a kind that we have not. */
function volumeSources(
  pod: Pod,
): ReadonlyMap<string, VolumeSource> | undefined {
  const sources = new Map<string, VolumeSource>();
  for (const volume of pod.spec.volumes ?? []) {
    const hostPath = hostPathOf(volume);
    if (hostPath === undefined) return undefined;
    const readOnly = volume.downwardAPI !== undefined;
    sources.set(volume.name, { hostPath, readOnly });
  }
  return sources;
}

function hostPathOf(volume: Volume): string | undefined {
  if (volume.hostPath !== undefined) return volume.hostPath.path;
  const plugin = volume.emptyDir !== undefined
    ? "empty-dir"
    : volume.downwardAPI !== undefined
    ? "downward-api"
    : undefined;
  if (plugin === undefined) return undefined;
  return `<ROOT>/pods/<UID>/volumes/kubernetes.io~${plugin}/${volume.name}`;
}

function isComposite(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null;
}

function object(value: Json | undefined): JsonObject {
  return isComposite(value) ? value : {};
}
