/**
 * A node as its cluster sees it. Pure.
 *
 * The rules are those of the kubelet's pkg/kubelet/kubelet_node_status.go and
 * pkg/kubelet/nodestatus.
 *
 * @module
 */

import { type StrategicPatch, strategicPatch } from "../api/access/mod.ts";
import type { Node, NodeStatus } from "../api/cluster/mod.ts";
import { stableJson } from "../api/objects/mod.ts";
import { defined } from "../base/mod.ts";
import { nodeConditions } from "./node_conditions.ts";
import type {
  NodeIdentity,
  NodeImage,
  NodePicture,
  ResourceAmounts,
} from "./node_picture.ts";
import type { NewNode } from "./ports.ts";

const ATTACH_DETACH = "volumes.kubernetes.io/controller-managed-attach-detach";

/** As upstream's MaxNamesPerImageInNodeStatus. */
const NAMES_PER_IMAGE = 5;

/** As upstream names the version of a runtime that has not answered. */
const UNKNOWN_RUNTIME = "unknown://";

/** How a status is written. */
export interface StatusOptions {
  readonly nowMs: number;
  /** `nodeStatusMaxImages`; -1 for all. */
  readonly maxImages: number;
  /** Whether this agent has not told anything yet. */
  readonly isFirst: boolean;
}

/** A status that follows, and what is to be told of it. */
export interface NodeStatusNow {
  readonly status: NodeStatus;
  /** Reasons of events. */
  readonly events: readonly string[];
}

/** The node as it is sent when the cluster does not know it. */
export function newNode(
  identity: NodeIdentity,
  picture: NodePicture,
  options: Omit<StatusOptions, "isFirst">,
): NewNode {
  const { name, labels, ownLabels, taints, providerId } = identity;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { ...labels, ...ownLabels },
      annotations: { [ATTACH_DETACH]: "true" },
    },
    spec: {
      ...(taints.length > 0 && { taints }),
      ...defined({ providerID: providerId }),
    },
    status: nextStatus(undefined, picture, { ...options, isFirst: true })
      .status,
  };
}

/**
 * What is to be changed of a node that the cluster knew before this agent began; nothing when
 * it is as it should be. What an operator gave it stays.
 */
export function adoptionPatch(
  { metadata: { labels = {}, annotations = {} }, status }: Node,
  { ownLabels }: NodeIdentity,
):
  | { readonly metadata?: unknown; readonly status?: StrategicPatch }
  | undefined {
  const wrong = Object.entries(ownLabels)
    .filter(([key, value]) => labels[key] !== value);
  const isAttached = annotations[ATTACH_DETACH] === "true";
  // What gave the node such resources is not there any more, or says so anew.
  const extended = Object.keys(status?.capacity ?? {}).filter(isExtended);
  const none = Object.fromEntries(extended.map((name) => [name, "0"]));
  const isOld = extended.some((name) => status?.capacity?.[name] !== "0");
  if (wrong.length === 0 && isAttached && !isOld) return undefined;
  return {
    ...((wrong.length > 0 || !isAttached) && {
      metadata: {
        ...(wrong.length > 0 && { labels: Object.fromEntries(wrong) }),
        ...(!isAttached && { annotations: { [ATTACH_DETACH]: "true" } }),
      },
    }),
    ...(isOld && { status: { capacity: none, allocatable: none } }),
  };
}

/** The status that follows. */
export function nextStatus(
  before: NodeStatus | undefined,
  picture: NodePicture,
  { nowMs, maxImages, isFirst }: StatusOptions,
): NodeStatusNow {
  const { addresses, info, port, runtimeHandlers, features, images } = picture;
  const { conditions, events } = nodeConditions(
    before?.conditions ?? [],
    picture,
    { nowMs, isFirst },
  );
  const bootId = before?.nodeInfo?.bootID ?? "";
  const hasRebooted = bootId !== "" && bootId !== info.bootID;
  return {
    status: {
      ...before,
      ...defined({
        addresses,
        features,
        images: images && imageList(images, maxImages, before),
      }),
      capacity: withForeign(before?.capacity, picture.capacity),
      allocatable: withForeign(before?.allocatable, picture.allocatable),
      conditions: [...conditions],
      daemonEndpoints: { kubeletEndpoint: { Port: port ?? 0 } },
      nodeInfo: {
        ...info,
        // One that is away for a while is the one that was there.
        containerRuntimeVersion: info.containerRuntimeVersion ||
          before?.nodeInfo?.containerRuntimeVersion || UNKNOWN_RUNTIME,
      },
      ...(runtimeHandlers.length > 0 && { runtimeHandlers }),
    },
    events: hasRebooted ? ["Rebooted", ...events] : events,
  };
}

/** Whether two statuses differ by more than their signs of life. */
export function hasChanged(
  before: NodeStatus | undefined,
  after: NodeStatus,
): boolean {
  return stableJson(withoutHeartbeats(before)) !==
    stableJson(withoutHeartbeats(after));
}

function withoutHeartbeats(status: NodeStatus | undefined): unknown {
  if (status === undefined) return null;
  const conditions = status.conditions?.map((
    { lastHeartbeatTime: _time, ...rest },
  ) => rest);
  return { ...status, conditions };
}

/** The patch of the status that makes one of the other. */
export function statusPatch(
  before: NodeStatus | undefined,
  after: NodeStatus,
): StrategicPatch {
  const patch = strategicPatch(before, after, { conditions: "type" });
  const { addresses } = patch;
  if (!Array.isArray(addresses)) return patch;
  // An API server would merge them by type, of which a node may have two.
  return { ...patch, addresses: [...addresses, { $patch: "replace" }] };
}

/** Amounts of others stay: what a device plugin or an operator has said. */
function withForeign(
  before: ResourceAmounts | undefined,
  own: ResourceAmounts,
): ResourceAmounts {
  const foreign = Object.entries(before ?? {})
    .filter(([name]) => isExtended(name) && !(name in own));
  return { ...own, ...Object.fromEntries(foreign) };
}

/** Those in a domain of somebody's, as upstream's IsExtendedResourceName. */
function isExtended(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/");
}

/**
 * The largest first, each with its digests and then its tags; those without a name serve no
 * scheduler. What is empty or 0 is left out: an API server does not keep it, and it would look
 * like a change for ever.
 */
function imageList(
  images: readonly NodeImage[],
  maxImages: number,
  before: NodeStatus | undefined,
): NodeStatus["images"] {
  const sorted = images
    .filter(({ digests, tags }) => digests.length + tags.length > 0)
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const shown = maxImages < 0 ? sorted : sorted.slice(0, maxImages);
  if (shown.length === 0 && before?.images === undefined) return undefined;
  return shown.map(({ digests, tags, sizeBytes }) => ({
    names: [...digests, ...tags].slice(0, NAMES_PER_IMAGE),
    ...(sizeBytes > 0 && { sizeBytes }),
  }));
}
