/**
 * Looking closely at one pod.
 *
 * @module
 */

import {
  ANNOTATION_CONTAINER_HASH,
  ANNOTATION_CONTAINER_RESTART_COUNT,
  LABEL_CONTAINER_NAME,
} from "../../api/vocabulary/mod.ts";
import { isIp } from "../../base/text/mod.ts";
import {
  type CallOptions,
  type Container,
  type RuntimeContainerStatus,
  type RuntimeService,
  type Sandbox,
  type SandboxStatus,
  unlessGone,
} from "../../cri/model/mod.ts";
import {
  type ActuatedResources,
  isUnclearEnd,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
} from "../../pod/observed/mod.ts";
import { listPod, type ListService, type PodListing } from "./list_pods.ts";
import type { RuntimeFiles } from "../spec/mod.ts";
import { terminationMessage } from "./termination_message.ts";
import type { LinuxResources } from "../../cri/config/mod.ts";

/** The status of a container, and how far it can be relied upon. */
export interface ReportedStatus extends RuntimeContainerStatus {
  /** The runtime's own status still lags behind: it will report more about the end. */
  readonly isUnconfirmed?: true;
}

/** The calls by which pods are looked at. */
export interface LookService
  extends ListService, Pick<RuntimeService, "podSandboxStatus"> {
  containerStatus(
    containerId: string,
    options?: CallOptions,
  ): Promise<ReportedStatus>;
}

/** What a look at one pod may build upon. */
export interface InspectOptions {
  /** The pod's rows of a list just made; without it the runtime is asked. */
  readonly listing?: PodListing;
  /** What was seen last: what cannot have changed since is not asked again. */
  readonly cached?: ObservedPod;
  readonly signal?: AbortSignal | undefined;
}

/** What looking needs. */
export interface ObserveDeps {
  readonly runtime: LookService;
  readonly files: RuntimeFiles;
}

/**
 * Looks at one pod closely.
 *
 * Asks for the status of the newest sandbox if it is ready, and of those
 * containers whose details cannot be known yet: what ran and still runs, or had
 * ended already, is taken from `cached`. What vanishes between list and status is
 * left out (upstream too ignores NotFound there); what `cached` has and the list lacks
 * is asked for by its id, since a list may be short of something for a moment.
 *
 * @returns the pod; without sandboxes and containers when the runtime has none
 * @throws {CriError} when the runtime cannot answer
 */
export async function inspectPod(
  deps: ObserveDeps,
  uid: string,
  options: InspectOptions = {},
): Promise<ObservedPod> {
  const { cached, signal } = options;
  const listing = options.listing ??
    await listPod(deps.runtime, uid, { signal });
  const [sandboxes, containers] = await Promise.all([
    inspectSandboxes(deps, listing, options),
    inspectContainers(deps, listing, options),
  ]);
  return {
    uid,
    name: listing.name || (cached?.name ?? ""),
    namespace: listing.namespace || (cached?.namespace ?? ""),
    sandboxes,
    containers,
    ips: podIps(sandboxes, cached),
  };
}

/**
 * Reads the details of one container.
 *
 * @returns `undefined` when the runtime does not have it any more
 * @throws {CriError} when the runtime cannot answer
 */
export async function inspectContainer(
  deps: ObserveDeps,
  containerId: string,
  options: CallOptions & { readonly sandboxId: string },
): Promise<ObservedContainer | undefined> {
  const { signal, sandboxId } = options;
  const status = await unlessGone(
    deps.runtime.containerStatus(containerId, { signal }),
  );
  if (status === undefined) return undefined;
  const message = status.state === "exited"
    ? await terminationMessage(deps.files, status)
    : clip(status.message, MAX_MESSAGE);
  return observedContainer(status, { sandboxId, message });
}

/** The same pod with some containers added or replaced, newest first. Pure. */
export function withContainers(
  pod: ObservedPod,
  containers: readonly ObservedContainer[],
): ObservedPod {
  const ids = new Set(containers.map((container) => container.id));
  const others = pod.containers.filter((container) => !ids.has(container.id));
  return {
    ...pod,
    containers: newestContainersFirst([...containers, ...others]),
  };
}

/** The same pod with a sandbox of which no more than the id is known. Pure. */
export function withSandbox(
  observed: ObservedPod,
  sandboxId: string,
): ObservedPod {
  if (observed.sandboxes.some(({ id }) => id === sandboxId)) return observed;
  const sandbox = {
    id: sandboxId,
    ready: true,
    attempt: 0,
    createdAt: 0n,
    hostNetwork: false,
    ip: undefined,
    additionalIps: [],
  };
  return { ...observed, sandboxes: [sandbox, ...observed.sandboxes] };
}

/** Sorts as upstream: by attempt, then creation, both falling, then id. */
function newestSandboxesFirst<Item extends ListedSandbox>(
  sandboxes: readonly Item[],
): readonly Item[] {
  return sandboxes.toSorted((a, b) =>
    b.attempt - a.attempt || compare(b.createdAt, a.createdAt) ||
    compare(a.id, b.id)
  );
}

/**
 * The addresses of a pod: of its newest sandbox if that is ready, else those it
 * had before, which a pod that ends keeps in its status.
 *
 * An address that cannot be read makes all of them void, as upstream.
 */
export function podIps(
  sandboxes: readonly ObservedSandbox[],
  cached: Pick<ObservedPod, "ips"> | undefined,
): readonly string[] {
  const newest = sandboxes[0];
  if (newest?.ready === true) {
    const ips = [newest.ip ?? "", ...newest.additionalIps].filter((ip) =>
      ip !== ""
    );
    return ips.every(isIp) ? ips : [];
  }
  return sandboxes.some((sandbox) => sandbox.ready) ? [] : cached?.ips ?? [];
}

async function inspectSandboxes(
  deps: ObserveDeps,
  listing: PodListing,
  options: InspectOptions,
): Promise<readonly ObservedSandbox[]> {
  const { cached, signal } = options;
  const rows = newestSandboxesFirst(
    listing.sandboxes.map((row) => ({ ...row, attempt: row.metadata.attempt })),
  );
  const known = new Map(cached?.sandboxes.map((seen) => [seen.id, seen]));
  const listed = new Set(rows.map(({ id }) => id));
  const lacking = cached?.sandboxes.filter(({ id }) => !listed.has(id)) ?? [];
  const newest = rows[0];
  const [first, ...found] = await Promise.all([
    newest?.state === "ready"
      ? inspectSandbox(deps, newest, signal)
      : newest && plain(newest, known),
    ...lacking.map((sandbox) => inspectSandbox(deps, sandbox, signal)),
  ]);
  const older = rows.slice(1).map((row) => plain(row, known));
  return newestSandboxesFirst(
    [first, ...found, ...older].filter((sandbox) => sandbox !== undefined),
  );
}

/**
 * Reads the details of one sandbox.
 *
 * @returns `undefined` when the runtime does not have it any more
 * @throws {CriError} when the runtime cannot answer
 */
export async function inspectSandbox(
  deps: ObserveDeps,
  sandbox: ListedSandbox,
  signal?: AbortSignal,
): Promise<ObservedSandbox | undefined> {
  const status = await unlessGone(
    deps.runtime.podSandboxStatus(sandbox.id, { signal }),
  );
  return status && observedSandbox(status, sandbox);
}

/** A sandbox as its status shows it: it may have ended since the list was made. Pure. */
export function observedSandbox(
  status: SandboxStatus,
  { id, attempt, createdAt }: ListedSandbox,
): ObservedSandbox {
  return {
    id,
    ready: status.state === "ready",
    attempt,
    createdAt,
    hostNetwork: status.networkMode === "node",
    ip: status.ip,
    additionalIps: status.additionalIps,
  };
}

/** What is known of a sandbox from a list. */
type ListedSandbox = Pick<ObservedSandbox, "id" | "attempt" | "createdAt">;

/** A sandbox of which only the list is known; for older ones nothing more matters. */
function plain(
  row: Sandbox,
  known: ReadonlyMap<string, ObservedSandbox>,
): ObservedSandbox {
  const seen = known.get(row.id);
  return {
    id: row.id,
    ready: row.state === "ready",
    ...(row.state !== "ready" && seen?.isStopped && { isStopped: true }),
    attempt: row.metadata.attempt,
    createdAt: row.createdAt,
    hostNetwork: seen?.hostNetwork ?? false,
    ip: seen?.ip,
    additionalIps: seen?.additionalIps ?? [],
  };
}

async function inspectContainers(
  deps: ObserveDeps,
  listing: PodListing,
  options: InspectOptions,
): Promise<readonly ObservedContainer[]> {
  const { cached, signal } = options;
  const known = new Map(cached?.containers.map((seen) => [seen.id, seen]));
  const inspect = ({ id, sandboxId }: Pick<Container, "id" | "sandboxId">) =>
    inspectContainer(deps, id, { sandboxId, signal });
  const listed = new Set(listing.containers.map(({ id }) => id));
  const lacking = cached?.containers.filter(({ id }) => !listed.has(id)) ?? [];
  const looked = await Promise.all([
    ...listing.containers.map((row) => {
      const seen = known.get(row.id);
      return seen !== undefined && isSettled(seen, row) ? seen : inspect(row);
    }),
    ...lacking.map(inspect),
  ]);
  return newestContainersFirst(
    looked.filter((container) => container !== undefined),
  );
}

/** True when nothing that we read of the container can have changed since. */
function isSettled(seen: ObservedContainer, row: Container): boolean {
  if (seen.state !== row.state || isUnclearEnd(seen)) return false;
  return row.state === "running" || row.state === "exited";
}

/**
 * Among containers of one name, the one restarted most often is the newest. Creation times
 * may fall when a clock is set. If a dead container counted as the newest, it would be
 * started again beside the one that runs.
 */
function newestContainersFirst(
  containers: readonly ObservedContainer[],
): readonly ObservedContainer[] {
  return containers.toSorted((a, b) =>
    b.restartCount - a.restartCount ||
    compare(b.createdAt, a.createdAt) || compare(a.id, b.id)
  );
}

function observedContainer(
  status: ReportedStatus,
  extra: { readonly sandboxId: string; readonly message: string },
): ObservedContainer {
  const { annotations, user } = status;
  const reported = reportedResources(status.resources);
  return {
    id: status.id,
    sandboxId: extra.sandboxId,
    name: status.labels[LABEL_CONTAINER_NAME] ?? status.metadata.name,
    state: status.state,
    createdAt: status.createdAt,
    startedAt: status.startedAt,
    finishedAt: status.finishedAt,
    exitCode: status.exitCode,
    reason: clip(status.reason, MAX_REASON),
    ...(status.isUnconfirmed && { isUnconfirmed: status.isUnconfirmed }),
    message: extra.message,
    image: status.image.image,
    imageRef: status.imageRef,
    hash: annotations[ANNOTATION_CONTAINER_HASH] ?? "",
    restartCount: restartCountOf(annotations),
    // The runtime answers with the whole path; the pod's part are its last two names.
    logPath: status.logPath.split("/").slice(-2).join("/"),
    ...(reported === undefined ? {} : { resources: reported }),
    ...(status.stopSignal !== undefined && { stopSignal: status.stopSignal }),
    user: user === undefined ? undefined : {
      uid: Number(user.uid),
      gid: Number(user.gid),
      supplementalGroups: user.supplementalGroups.map(Number),
    },
  };
}

function restartCountOf(annotations: Readonly<Record<string, string>>): number {
  const text = annotations[ANNOTATION_CONTAINER_RESTART_COUNT] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Longest texts that are believed of a runtime; the status is no place for more. */
const MAX_REASON = 256;
const MAX_MESSAGE = 4096;

/** Cuts a text that a runtime gave. */
function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength);
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Turns cgroup settings back into requests and limits, as near as they allow.
 *
 * Upstream: pkg/kubelet/kuberuntime toKubeContainerResources.
 *
 * @returns `undefined` when the runtime reports none, as containerd before 1.7
 */
export function reportedResources(
  reported: LinuxResources | undefined,
): ActuatedResources | undefined {
  if (!reported?.cpuShares) return undefined;
  const { cpuShares, cpuQuota = 0n, cpuPeriod = 0n } = reported;
  const { memoryLimitInBytes = 0n } = reported;
  // Rounded up, so that the way back leads to the same shares.
  const milli = (cpuShares * 1000n + 1023n) / 1024n;
  return {
    requests: { cpu: `${milli}m` },
    limits: {
      ...(cpuQuota > 0n && cpuPeriod > 0n
        ? { cpu: `${cpuQuota * 1000n / cpuPeriod}m` }
        : {}),
      ...(memoryLimitInBytes > 0n ? { memory: `${memoryLimitInBytes}` } : {}),
    },
    fromRuntime: true,
  };
}
