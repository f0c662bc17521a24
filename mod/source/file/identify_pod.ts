/**
 * What a pod from a file or a URL is called on this node.
 *
 * @module
 */

import {
  ANNOTATION_CONFIG_HASH,
  ANNOTATION_CONFIG_SOURCE,
} from "../../api/vocabulary/mod.ts";
import type { DecodedPod } from "../../api/read/mod.ts";
import type { Fault } from "../../api/fault/mod.ts";
import { fnv1a128Hex, isPodUid, stableJson } from "../../api/objects/mod.ts";
import type { Pod, PodSpec } from "../../api/types/mod.ts";

/** Where a static pod was found. */
export type ManifestOrigin =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "http"; readonly url: string };

interface IdentityContext {
  /** The node's name as configured, in any case. */
  readonly nodeName: string;
  readonly origin: ManifestOrigin;
}

/** The outcome of {@linkcode identifyPod}. */
export type IdentifiedPod =
  | { readonly kind: "ok"; readonly pod: Pod }
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
  const { metadata, spec } = decoded;
  const name = `${metadata.name}-${nodeName.toLowerCase()}`;
  const faults: Fault[] = [];
  if (name.length > MAX_NAME_LENGTH) {
    const message =
      `Invalid value: "${name}": with the node's name it has ${name.length} characters, at most ${MAX_NAME_LENGTH} are allowed`;
    faults.push({ field: "metadata.name", message });
  }
  if (metadata.uid && !isPodUid(metadata.uid)) {
    const message =
      `Invalid value: "${metadata.uid}": must be 1 to 64 letters, digits and "-", starting with a letter or digit`;
    faults.push({ field: "metadata.uid", message });
  }
  if (faults.length > 0) return { kind: "refused", faults };

  const uid = metadata.uid || generateUid(decoded, context);
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
  return { kind: "ok", pod };
}

// What the API server allows for the name of a pod (a DNS subdomain).
const MAX_NAME_LENGTH = 253;

function generateUid(pod: DecodedPod, context: IdentityContext): string {
  const { nodeName, origin } = context;
  const place = origin.kind === "file"
    ? `host:${nodeName}file:${origin.path}`
    : `url:${origin.url}`;
  const { metadata: { annotations = {}, ...rest }, writtenSpec } = pod;
  // No annotations are none, as ever: the UIDs of pods that run hang on it.
  const isAnnotated = Object.keys(annotations).length > 0;
  const metadata = { ...rest, ...(isAnnotated && { annotations }) };
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
