/**
 * All pods, or one, as the runtime's two lists show them.
 *
 * @module
 */

import { isPodUid } from "../../api/objects/mod.ts";
import {
  LABEL_CONTAINER_NAME,
  LABEL_POD_NAME,
  LABEL_POD_NAMESPACE,
  LABEL_POD_UID,
} from "../../api/vocabulary/mod.ts";
import type {
  CallOptions,
  Container,
  RuntimeService,
  Sandbox,
} from "../../cri/model/mod.ts";

/** The two calls that listing makes. */
export type ListService = Pick<
  RuntimeService,
  "listContainers" | "listPodSandbox"
>;

/** One pod as the runtime's lists show it. */
export interface PodListing {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** A sandbox of it is ready, or a container may run. */
  readonly alive: boolean;
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly Container[];
}

/** All pods that the runtime holds; what has no labels of a pod is left out. */
export interface RuntimeListing {
  /** By UID, in the order of the runtime's answer. */
  readonly pods: ReadonlyMap<string, PodListing>;
}

/**
 * Lists the sandboxes and containers of one pod; empty when there are none.
 *
 * They belong to it by label, as upstream: a container stays visible when its sandbox
 * is gone.
 *
 * @throws {CriError} when either list fails
 */
export async function listPod(
  runtime: ListService,
  uid: string,
  options: CallOptions = {},
): Promise<PodListing> {
  const filter = { labels: { [LABEL_POD_UID]: uid } };
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandbox(filter, options),
    runtime.listContainers(filter, options),
  ]);
  const listing = groupByPod(sandboxes, containers).pods.get(uid);
  return listing ?? nothingListed(uid);
}

/** A pod of which a list shows nothing. Pure. */
export function nothingListed(uid: string): PodListing {
  return openListing({ uid, name: "", namespace: "" });
}

/** Groups two lists by pod UID; of what is listed twice the first row counts. Pure. */
export function groupByPod(
  sandboxes: readonly Sandbox[],
  containers: readonly Container[],
): RuntimeListing {
  const pods = new Map<string, OpenListing>();
  const seen = new Set<string>();
  for (const sandbox of sandboxes) {
    if (seen.has(sandbox.id)) continue;
    seen.add(sandbox.id);
    const listing = listingOf(pods, sandbox.labels);
    if (listing === undefined) continue;
    nameAfter(sandbox, listing);
    listing.sandboxes.push(sandbox);
    if (sandbox.state === "ready") listing.alive = true;
  }
  for (const container of containers) {
    if (seen.has(container.id)) continue;
    seen.add(container.id);
    const named = container.labels[LABEL_CONTAINER_NAME] !== undefined;
    const listing = named ? listingOf(pods, container.labels) : undefined;
    if (listing === undefined) continue;
    listing.containers.push(container);
    const { state } = container;
    if (state === "running" || state === "unknown") listing.alive = true;
  }
  return { pods };
}

interface OpenListing extends PodListing {
  name: string;
  namespace: string;
  alive: boolean;
  readonly sandboxes: Sandbox[];
  readonly containers: Container[];
}

/**
 * A UID may have had another name, and a runtime lists in any order: what is said of a
 * pod as a whole is said of its newest sandbox.
 */
function nameAfter(
  { labels, ...sandbox }: Sandbox,
  listing: OpenListing,
): void {
  const isOlder = listing.sandboxes.some((other) => isNewer(other, sandbox));
  if (isOlder) return;
  listing.name = labels[LABEL_POD_NAME] ?? listing.name;
  listing.namespace = labels[LABEL_POD_NAMESPACE] ?? listing.namespace;
}

type SandboxAge = Pick<Sandbox, "metadata" | "createdAt">;

function isNewer(one: SandboxAge, other: SandboxAge): boolean {
  const attempts = one.metadata.attempt - other.metadata.attempt;
  return attempts === 0 ? one.createdAt > other.createdAt : attempts > 0;
}

function listingOf(
  pods: Map<string, OpenListing>,
  labels: Readonly<Record<string, string>>,
): OpenListing | undefined {
  const uid = labels[LABEL_POD_UID];
  if (uid === undefined) return undefined;
  const known = pods.get(uid);
  if (known !== undefined) return known;
  const name = labels[LABEL_POD_NAME];
  const namespace = labels[LABEL_POD_NAMESPACE];
  // A UID becomes part of paths, so one of another shape is refused.
  if (name === undefined || namespace === undefined || !isPodUid(uid)) {
    return undefined;
  }
  const listing = openListing({ uid, name, namespace });
  pods.set(uid, listing);
  return listing;
}

function openListing(
  pod: Pick<PodListing, "uid" | "name" | "namespace">,
): OpenListing {
  return { ...pod, alive: false, sandboxes: [], containers: [] };
}
