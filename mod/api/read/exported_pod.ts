/**
 * Pods as a cluster hands them out.
 *
 * @module
 */

import { AGENT_ANNOTATIONS } from "../vocabulary/mod.ts";
import { isRawObject } from "./schema.ts";
import type { RawObject, RawValue } from "../text/mod.ts";

/** A pod as its author may have written it. */
export interface PlainPod {
  readonly value: RawObject;
  /** Fields that were left out and may have been meant; mostly empty. */
  readonly leftOut: readonly string[];
}

/**
 * Takes from a pod what only a cluster sets, so that the output of `kubectl get pod
 * -o yaml` is a manifest.
 *
 * It comes from a cluster when it has a `resourceVersion`, `managedFields`, a
 * `creationTimestamp`, a `status` or an annotation of `kubernetes.io/config.*`. Then
 * all of these are left out, and:
 *
 * - of the metadata, `uid` (it names the cluster's pod, and would forbid most edits of
 *   this one), `generateName`, `generation`, `selfLink`, `ownerReferences`,
 *   `finalizers` and what says that it is being deleted;
 * - of the spec, `nodeName`, `ephemeralContainers`, `serviceAccountName` and
 *   `serviceAccount` (`default` if the author named none; there is no API server to
 *   have accounts), and the volume with the token of that account and its mounts.
 *
 * What the API server fills in and a pod may have all the same stays: defaults,
 * tolerations, `priority`, labels of controllers, `kubectl`'s annotation. So does any
 * other use of a token, which is refused.
 *
 * In a pod that does not come from a cluster only empty marks are left out (`status:
 * {}` and `creationTimestamp: null` of `kubectl run --dry-run -o yaml`), and what means
 * nothing anywhere; all the rest is a fault.
 */
export function withoutClusterFields(pod: RawObject): PlainPod {
  const { status: _status, ...rest } = pod;
  const isFound = isExported(pod);
  const metadata = isFound
    ? pick(pod["metadata"], "metadata", isClusterMetadata)
    : pick(pod["metadata"], "metadata", (key) => SERVER_FIELDS.has(key));
  const value = { ...rest, ...whole("metadata", metadata.value) };
  if (!isFound) return { value, leftOut: [] };
  const annotations = isRawObject(metadata.value)
    ? pick(
      metadata.value["annotations"],
      "metadata.annotations",
      (key) => AGENT_ANNOTATIONS.has(key),
    )
    : NOTHING;
  const spec = pick(pod["spec"], "spec", (key) => CLUSTER_SPEC.has(key));
  const plain = withoutToken(spec.value);
  return {
    value: {
      ...value,
      ...(isRawObject(metadata.value) && {
        metadata: {
          ...metadata.value,
          ...whole("annotations", annotations.value),
        },
      }),
      ...whole("spec", plain.value),
    },
    leftOut: [
      ...metadata.leftOut,
      ...annotations.leftOut,
      ...spec.leftOut,
      ...plain.leftOut,
      ...(isRawObject(pod["status"]) ? ["status"] : []),
    ],
  };
}

/** What an API server writes into every object it hands out; it means nothing in a file. */
export const SERVER_FIELDS: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
]);

const CLUSTER_METADATA: ReadonlySet<string> = new Set([
  ...SERVER_FIELDS,
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "finalizers",
  "generateName",
  "ownerReferences",
  "uid",
]);

const CLUSTER_SPEC: ReadonlySet<string> = new Set([
  "ephemeralContainers",
  "nodeName",
  "serviceAccount",
  "serviceAccountName",
]);

/** Where the token of a pod's account is mounted, unless the author mounts one. */
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

interface Picked {
  readonly value: RawValue | undefined;
  readonly leftOut: readonly string[];
}

const NOTHING: Picked = { value: undefined, leftOut: [] };

function isClusterMetadata(key: string): boolean {
  return CLUSTER_METADATA.has(key);
}

function isExported({ metadata, status }: RawObject): boolean {
  if (isRawObject(status) && Object.keys(status).length > 0) return true;
  if (!isRawObject(metadata)) return false;
  const { annotations, creationTimestamp, managedFields, resourceVersion } =
    metadata;
  const isMarked = [creationTimestamp, resourceVersion].some((mark) =>
    typeof mark === "string" && mark !== ""
  );
  return isMarked || (Array.isArray(managedFields)) ||
    (isRawObject(annotations) &&
      Object.keys(annotations).some((key) => AGENT_ANNOTATIONS.has(key)));
}

/** An object without some of its fields; anything else as it is. */
function pick(
  value: RawValue | undefined,
  path: string,
  isLeftOut: (key: string) => boolean,
): Picked {
  if (!isRawObject(value)) return { value, leftOut: [] };
  const entries = Object.entries(value);
  const left = entries.filter(([key]) => isLeftOut(key));
  if (left.length === 0) return { value, leftOut: [] };
  return {
    value: Object.fromEntries(entries.filter(([key]) => !isLeftOut(key))),
    leftOut: left.map(([key]) =>
      path === "metadata.annotations" ? `${path}[${key}]` : `${path}.${key}`
    ),
  };
}

function whole(key: string, value: RawValue | undefined): RawObject {
  return value === undefined ? {} : { [key]: value };
}

/** The spec without the volume that the API server gave it for the account's token. */
function withoutToken(spec: RawValue | undefined): Picked {
  if (!isRawObject(spec) || !Array.isArray(spec["volumes"])) {
    return { value: spec, leftOut: [] };
  }
  const lists = ["initContainers", "containers"] as const;
  const mounted = new Set(
    lists.flatMap((list) => objectsOf(spec[list]))
      .flatMap(({ volumeMounts }) => objectsOf(volumeMounts))
      .filter(({ mountPath }) => mountPath === TOKEN_PATH)
      .map(({ name }) => name),
  );
  const isToken = (volume: RawValue): boolean =>
    isRawObject(volume) && mounted.has(volume["name"] ?? "") &&
    holdsToken(volume);
  const tokens = new Set(
    objectsOf(spec["volumes"]).filter(isToken).map(({ name }) => name),
  );
  if (tokens.size === 0) return { value: spec, leftOut: [] };
  const volumes = spec["volumes"].filter((volume) => !isToken(volume));
  const { volumes: _volumes, ...rest } = spec;
  const containers = Object.fromEntries(
    lists.filter((list) => Array.isArray(spec[list]))
      .map((list) => [list, withoutMounts(spec[list], tokens)]),
  );
  return {
    value: {
      ...rest,
      ...containers,
      ...(volumes.length > 0 && { volumes }),
    },
    leftOut: [...tokens].map((name) => `the volume "${name}" and its mounts`),
  };
}

/** Whether a volume is one of those that API servers add, since 1.21 or before. */
function holdsToken({ name, projected, secret }: RawObject): boolean {
  if (isRawObject(projected)) {
    return typeof name === "string" && name.startsWith("kube-api-access-") &&
      objectsOf(projected["sources"]).some((source) =>
        source["serviceAccountToken"] !== undefined
      );
  }
  return isRawObject(secret) && secret["secretName"] === name &&
    typeof name === "string" && name.includes("-token-");
}

function withoutMounts(
  containers: RawValue | undefined,
  volumes: ReadonlySet<RawValue | undefined>,
): readonly RawValue[] {
  const list = Array.isArray(containers) ? containers : [];
  return list.map((container) => {
    if (!isRawObject(container)) return container;
    const { volumeMounts, ...rest } = container;
    if (!Array.isArray(volumeMounts)) return container;
    const kept = volumeMounts.filter((mount) =>
      !isRawObject(mount) || !volumes.has(mount["name"])
    );
    return kept.length === 0 ? rest : { ...rest, volumeMounts: kept };
  });
}

function objectsOf(value: RawValue | undefined): readonly RawObject[] {
  return Array.isArray(value) ? value.filter(isRawObject) : [];
}
