/**
 * The 44 recorded manifests on a real runtime, under the locked agent: what it asks
 * and what it reports, against what the kubelet asked and reported.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { differences } from "../support/json_difference.ts";
import {
  matchesPath,
  type PlainMessage,
  plainOfGolden,
  plainOfRecord,
} from "../support/e2e/wire_json.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";
import {
  GOLDEN_MACHINE_DEVIATIONS,
  GOLDEN_STATUS_DEVIATIONS,
  type GoldenDeviation,
} from "../testdata/golden_deviations.ts";

/** A golden file, as far as it is compared here. */
interface Golden {
  readonly file: string;
  readonly manifest: { readonly metadata: { readonly name: string } };
  readonly cri: readonly { readonly call: string; readonly request: unknown }[];
  readonly status: PlainMessage | undefined;
}

/** The kubelet crashed on it, so there is nothing to be equal to. */
const CRASHED = "runtimeclass-missing.json";

/** The end that is awaited looks otherwise; the deviations say how. */
const RECORDED_EARLY = new Set([
  "active-deadline.json",
  "too-much-memory.json",
]);

/** The compared calls, and what the runtime makes of them. */
const CALLS: ReadonlyMap<string, RuntimeRecord["kind"]> = new Map([
  ["RunPodSandbox", "sandbox"],
  ["CreateContainer", "container"],
]);

const directory = new URL("../testdata/golden/", import.meta.url);

withRuntime("the golden manifests", (test) => {
  test("ask and report what the kubelet asked and reported", async (runtime) => {
    const folder = await Deno.makeTempDir({ prefix: "skerry-golden-" });
    try {
      await Deno.writeTextFile(`${folder}/config.yaml`, CONFIG);
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        args: [
          `--config=${folder}/config.yaml`,
          "--host-path-roots=/usr/share,/etc/hostname,/nonexistent-bb",
        ],
      });
      const goldens = await readGoldens();
      for (const { file, manifest } of goldens) {
        await agent.apply(file, manifest);
      }
      const pods = await settled(agent, goldens);
      const records = await readRecords(runtime);
      const faults = goldens.flatMap((golden) => {
        const pod = podOf(golden, pods);
        if (pod === undefined || pod.metadata.uid === "") {
          return [`${golden.file}: there is no such pod`];
        }
        return compare(golden, { agent, pod }, records);
      });
      deepStrictEqual(faults, []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
});

/** What the recorded kubelet was told. */
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
resolvConf: ""
`;

async function readGoldens(): Promise<readonly Golden[]> {
  const goldens: Golden[] = [];
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".json") || name === CRASHED) continue;
    const text = await Deno.readTextFile(new URL(name, directory));
    // The files are ours and of this shape.
    goldens.push({ file: name, ...JSON.parse(text) as Omit<Golden, "file"> });
  }
  strictEqual(goldens.length, 43);
  return goldens.sort((a, b) => a.file < b.file ? -1 : 1);
}

/** Waits for every pod to come to what was recorded; one that never does is seen as it is. */
async function settled(
  agent: AgentProcess,
  goldens: readonly Golden[],
): Promise<readonly Pod[]> {
  const condition = (seen: readonly Pod[]) =>
    goldens.every((golden) => isSettled(podOf(golden, seen), golden));
  try {
    return await agent.until("the golden states", condition);
  } catch {
    // The comparison says better what is amiss.
    return await agent.pods() ?? [];
  }
}

function podOf(golden: Golden, pods: readonly Pod[]): Pod | undefined {
  const name = `${golden.manifest.metadata.name}-edge1`;
  return pods.find(({ metadata }) => metadata.name === name);
}

/** Whether a pod has come to what was recorded; how exactly is compared later. */
function isSettled(pod: Pod | undefined, golden: Golden): boolean {
  const states = (status: unknown) =>
    JSON.stringify(status, (key, value) => key === "lastState" ? null : value)
      .match(/"(phase|running|waiting|terminated|ready|reason)":("\w+"|true)?/g)
      ?.filter((text) => !text.startsWith('"reason":"Unexpected'))
      .sort().join();
  return pod !== undefined &&
    (RECORDED_EARLY.has(golden.file)
      ? pod.status?.phase === "Failed"
      : states(pod.status) === states(golden.status));
}

/** A configuration as the runtime keeps it: the very message that it was sent. */
interface RuntimeRecord {
  readonly kind: "sandbox" | "container";
  readonly config: unknown;
}

/** What the runtime holds of sandboxes and containers. */
async function readRecords(
  runtime: TestRuntime,
): Promise<readonly RuntimeRecord[]> {
  const { tools } = runtime.rig;
  const { text } = await tools.ctr(["containers", "ls", "-q"]);
  const ids = text.split("\n").filter((id) => id !== "");
  return (await Promise.all(ids.map(async (id) => {
    const info = JSON.parse((await tools.ctr(["containers", "info", id])).text);
    return (["sandbox", "container"] as const).flatMap((kind) => {
      const found = info.Extensions?.[`io.cri-containerd.${kind}.metadata`];
      if (found === undefined) return [];
      const bytes = Uint8Array.from(atob(found.value), (c) => c.charCodeAt(0));
      const { Metadata } = JSON.parse(new TextDecoder().decode(bytes));
      return [{ kind, config: Metadata.Config }];
    });
  }))).flat();
}

/** Every unlisted difference of one pod, in words. */
function compare(
  golden: Golden,
  places: Places,
  records: readonly RuntimeRecord[],
): string[] {
  const { uid } = places.pod.metadata;
  const mine = records.filter(({ config }) =>
    JSON.stringify(config).includes(uid)
  );
  const wanted = configsOf(golden.cri.map(recorded));
  const had = configsOf(mine.map((record) => kept(record, places)));
  const asked = Object.keys(wanted).length === 0
    ? had
    // What came after the recording was stopped is not compared.
    : Object.fromEntries(
      Object.entries(had).filter(([key]) => key in wanted),
    );
  return [
    ...unlisted(golden.file, {
      found: differences(wanted, asked),
      listed: GOLDEN_MACHINE_DEVIATIONS,
    }),
    ...unlisted(golden.file, {
      found: differences(
        normalStatus(golden.status),
        normalStatus(withPlaceholders(places.pod.status, places)),
      ),
      listed: GOLDEN_STATUS_DEVIATIONS,
    }),
  ];
}

/** One compared message. */
interface Message {
  readonly kind: RuntimeRecord["kind"];
  readonly config: PlainMessage | undefined;
}

function recorded({ call, request }: Golden["cri"][number]): Message[] {
  const kind = CALLS.get(call);
  if (kind === undefined) return [];
  const { config } = request as { readonly config: unknown };
  return [{ kind, config: plainOfGolden(config) }];
}

function kept({ kind, config }: RuntimeRecord, places: Places): Message[] {
  return [{ kind, config: withPlaceholders(plainOfRecord(config), places) }];
}

/** Messages by kind, name and attempt, with env as a set. */
function configsOf(
  messages: readonly Message[][],
): Readonly<Record<string, PlainMessage>> {
  return Object.fromEntries(
    messages.flat().map(({ kind, config }) => {
      const text = JSON.stringify(
        config,
        (key, value) =>
          key === "envs" && Array.isArray(value)
            ? value.toSorted((a, b) => a.key < b.key ? -1 : 1)
            : value,
      ).replaceAll(/"[0-9a-f]{32}"/g, '"<UID>"');
      const plain = JSON.parse(text);
      const { name, attempt = 0 } = plain.metadata;
      const key = kind === "sandbox"
        ? `RunPodSandbox[${attempt}]`
        : `CreateContainer[${name}][${attempt}]`;
      return [key, plain];
    }),
  );
}

interface Places {
  readonly agent: AgentProcess;
  readonly pod: Pod;
}

/** Writes placeholders for ids, paths and times, as the recorder did. */
function withPlaceholders(
  value: unknown,
  { agent, pod }: Places,
): PlainMessage {
  const replaced = JSON.stringify(value)
    .replaceAll(pod.metadata.uid, "<UID>")
    .replaceAll(`${agent.rootDir}/run/`, "<ROOT>/")
    .replaceAll(agent.rootDir, "<ROOT>")
    .replaceAll(agent.podLogsDir, "<LOGS>")
    .replaceAll(/"10\.\d+\.\d+\.\d+"/g, '"<POD_IP>"')
    .replaceAll(/(container\.hash":)"[0-9a-f]{1,8}"/g, '$1"<HASH>"')
    .replaceAll(/(pod_sandbox_id":)"[0-9a-f]{64}"/g, '$1"<SANDBOX>"')
    .replaceAll(/"sha256:[0-9a-f]{64}"/g, '"<SHA>"')
    .replaceAll(/(\/containers\/[\w-]+)\/[0-9a-f]{8}"/g, '$1/<RAND>"')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)"/g, '"<TIME>"');
  return JSON.parse(replaced);
}

/** Container ids are told apart by what they belong to; probe times, never set, are not. */
function normalStatus(status: unknown): PlainMessage {
  const text = JSON.stringify(
    status,
    (key, value) => key === "lastProbeTime" ? undefined : value,
  );
  return JSON.parse(
    text.replaceAll(/containerd:\/\/(<[^>]*>|[0-9a-f]{64})/g, "<CONTAINER>"),
  );
}

function unlisted(
  file: string,
  options: {
    readonly found: ReturnType<typeof differences>;
    readonly listed: readonly GoldenDeviation[];
  },
): string[] {
  const { found, listed } = options;
  return found.filter(({ path }) =>
    !listed.some((entry) =>
      (entry.file === file || entry.file === "*") &&
      matchesPath(entry.path, path)
    )
  ).map(({ path, wanted, asked }) =>
    `${file} ${path}: the kubelet has ${wanted}, we have ${asked}`
  );
}
