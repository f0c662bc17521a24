/**
 * What a pod from a file or a URL is called on this node.
 *
 * @module
 */

import {
  AGENT_ANNOTATIONS,
  ANNOTATION_CONFIG_HASH,
  ANNOTATION_CONFIG_SOURCE,
  type DecodedPod,
  type Fault,
  fnv1a128Hex,
  isPodUid,
  type Pod,
  type PodSpec,
  stableJson,
} from "../api/mod.ts";

/** Where a static pod was found. */
export type PodOrigin =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "http"; readonly url: string };

/** What {@linkcode identifyPod} needs beside the pod. */
export interface IdentityContext {
  /** The node's name as configured, in any case. */
  readonly nodeName: string;
  readonly origin: PodOrigin;
}

/** The outcome of {@linkcode identifyPod}. */
export type IdentifiedPod =
  | {
    readonly kind: "ok";
    readonly pod: Pod;
    /** Fields of the manifest that only a node or an API server may set, left out. */
    readonly ignored: readonly string[];
  }
  | { readonly kind: "refused"; readonly faults: readonly Fault[] };

/**
 * Gives a decoded pod its identity as a static pod of this node.
 *
 * Same content, node and origin give the same UID, across restarts of the agent;
 * any other content gives another one, unless the manifest names a UID. The rules
 * are upstream's applyDefaults (pkg/kubelet/config/common.go), but for one: the UID
 * is made from what is written, not from what it amounts to with defaults, because
 * an upgrade that brings another default must not replace every pod (I2).
 */
export function identifyPod(
  decoded: DecodedPod,
  context: IdentityContext,
): IdentifiedPod {
  const { nodeName, origin } = context;
  const { pod: plain, ignored } = withoutForeignFields(decoded);
  const { metadata, spec } = plain;
  const name = `${metadata.name}-${nodeName.toLowerCase()}`;
  const faults: Fault[] = [];
  if (name.length > MAX_NAME_LENGTH) faults.push(nameTooLong(name));
  if (metadata.uid && !isPodUid(metadata.uid)) {
    faults.push(badUid(metadata.uid));
  }
  if (faults.length > 0) return { kind: "refused", faults };

  const uid = metadata.uid || generateUid(plain, context);
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name,
      namespace: metadata.namespace || "default",
      uid,
      annotations: {
        ...metadata.annotations,
        [ANNOTATION_CONFIG_HASH]: uid,
        [ANNOTATION_CONFIG_SOURCE]: origin.kind,
      },
    },
    spec: {
      ...spec,
      nodeName,
      ...(origin.kind === "file" && { tolerations: tolerateNoExecute(spec) }),
    },
    status: { phase: "Pending" },
  };
  return { kind: "ok", pod, ignored };
}

// What the API server allows for the name of a pod (a DNS subdomain).
const MAX_NAME_LENGTH = 253;

function nameTooLong(name: string): Fault {
  const message =
    `Invalid value: "${name}": with the node's name it has ${name.length} characters, at most ${MAX_NAME_LENGTH} are allowed`;
  return { field: "metadata.name", message };
}

function badUid(uid: string): Fault {
  const message =
    `Invalid value: "${uid}": must be 1 to 64 letters, digits and "-", starting with a letter or digit`;
  return { field: "metadata.uid", message };
}

// A mirror annotation or a deletion timestamp would keep the pod from ever
// running, in silence.
function withoutForeignFields(
  pod: DecodedPod,
): { readonly pod: DecodedPod; readonly ignored: readonly string[] } {
  const {
    annotations,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    ...metadata
  } = pod.metadata;
  const ignored: string[] = [];
  if (deletionTimestamp !== undefined) {
    ignored.push("metadata.deletionTimestamp");
  }
  if (deletionGracePeriodSeconds !== undefined) {
    ignored.push("metadata.deletionGracePeriodSeconds");
  }
  const own: [string, string][] = [];
  for (const entry of Object.entries(annotations ?? {})) {
    // A manifest that has one was copied.
    if (AGENT_ANNOTATIONS.has(entry[0])) {
      ignored.push(`metadata.annotations[${entry[0]}]`);
    } else own.push(entry);
  }
  return {
    pod: {
      ...pod,
      metadata: {
        ...metadata,
        ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
      },
    },
    ignored,
  };
}

function generateUid(pod: DecodedPod, context: IdentityContext): string {
  const { nodeName, origin } = context;
  const place = origin.kind === "file"
    ? `host:${nodeName}file:${origin.path}`
    : `url:${origin.url}`;
  const { metadata, writtenSpec } = pod;
  return fnv1a128Hex(stableJson({ metadata, spec: writtenSpec }) + place);
}

/** What keeps a static pod on a tainted node, put where upstream puts it. */
function tolerateNoExecute(
  spec: PodSpec,
): NonNullable<PodSpec["tolerations"]> {
  const wanted = { operator: "Exists", effect: "NoExecute" };
  const given = spec.tolerations ?? [];
  const isWanted = (toleration: (typeof given)[number]): boolean =>
    !toleration.key && !toleration.value &&
    toleration.operator === wanted.operator &&
    toleration.effect === wanted.effect;
  if (!given.some(isWanted)) return [...given, wanted];
  return given.map((toleration) => isWanted(toleration) ? wanted : toleration);
}
