/**
 * Pods and other objects as a cluster hands them out.
 *
 * @module
 */

import { AGENT_ANNOTATIONS } from "../vocabulary/mod.ts";
import type { Place } from "../fault/mod.ts";
import { isRawObject, type RawObject, type RawValue } from "../text/mod.ts";

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
  const { status, ...rest } = pod;
  const leftOut: string[] = [];
  const isFound = isExported(pod);
  const leave = (path: string) => leftOut.push(path);
  const kept = change(rest, "metadata", (metadata) =>
    without(
      metadata,
      isFound ? CLUSTER_METADATA : SERVER_FIELDS,
      (key) => leave(`metadata.${key}`),
    ));
  if (!isFound) return { value: kept, leftOut: [] };
  const unmarked = withoutNotes(kept, AGENT_ANNOTATIONS, leave);
  const value = change(unmarked, "spec", (spec) =>
    withoutToken(
      without(spec, CLUSTER_SPEC, (key) => leave(`spec.${key}`)),
      (name) => leave(`the volume "${name}" and its mounts`),
    ));
  if (isRawObject(status)) leave("status");
  return { value, leftOut };
}

/** Says of what comes from a cluster which of its fields are left out. */
export function warnOfLeftOut(leftOut: readonly string[], at: Place): void {
  if (leftOut.length === 0) return;
  at.child("metadata").warn(
    `Comes from a cluster, what only that sets is left out: ${
      leftOut.slice(0, MAX_LEFT_OUT).join(", ")
    }`,
  );
}

/** What comes from a cluster has fewer; a hostile one must not fill the log. */
const MAX_LEFT_OUT = 20;

/** An object beside pods without what an API server writes into it; some have a status. */
export function withoutServerFields(
  object: RawObject,
  options: { readonly hasStatus: boolean },
): RawObject {
  const { status: _status, ...stateless } = object;
  return change(
    options.hasStatus ? stateless : object,
    "metadata",
    (metadata) => without(metadata, SERVER_FIELDS, () => {}),
  );
}

/** What an API server writes into every object it hands out; it means nothing in a file. */
export const SERVER_FIELDS: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
]);

/** What else it writes into what lives in a cluster. */
export const CLUSTER_METADATA: ReadonlySet<string> = new Set([
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

/** Whether an object says that a cluster handed it out. */
export function isExported({ metadata, status }: RawObject): boolean {
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

type FieldChange = (value: RawValue) => RawValue;

/** An object with one field changed if it is there; anything else as it is. */
export function change(
  value: RawObject,
  key: string,
  by: FieldChange,
): RawObject;
export function change(value: RawValue, key: string, by: FieldChange): RawValue;
export function change(
  value: RawValue,
  key: string,
  by: FieldChange,
): RawValue {
  if (!isRawObject(value) || value[key] === undefined) return value;
  return { ...value, [key]: by(value[key]) };
}

/** An object without some of its fields, which are reported; anything else as it is. */
export function without(
  value: RawValue,
  fields: ReadonlySet<string>,
  report: (key: string) => void,
): RawValue {
  if (!isRawObject(value)) return value;
  Object.keys(value).filter((key) => fields.has(key)).forEach(report);
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !fields.has(key)),
  );
}

/** An object without some of its annotations, whose fields are reported. */
export function withoutNotes(
  object: RawObject,
  keys: ReadonlySet<string>,
  report: (field: string) => void,
): RawObject {
  const left = (key: string) => report(`metadata.annotations[${key}]`);
  return change(
    object,
    "metadata",
    (metadata) =>
      change(metadata, "annotations", (notes) => without(notes, keys, left)),
  );
}

/** The spec without the volume that the API server gave it for the account's token. */
function withoutToken(
  spec: RawValue,
  report: (name: RawValue | undefined) => void,
): RawValue {
  if (!isRawObject(spec) || !Array.isArray(spec["volumes"])) return spec;
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
  if (tokens.size === 0) return spec;
  tokens.forEach(report);
  const others = spec["volumes"].filter((volume) => !isToken(volume));
  const { volumes: _volumes, ...rest } = spec;
  const plain = lists.reduce<RawObject>(
    (kept, list) =>
      change(kept, list, (containers) => withoutMounts(containers, tokens)),
    rest,
  );
  return others.length > 0 ? { ...plain, volumes: others } : plain;
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
  containers: RawValue,
  volumes: ReadonlySet<RawValue | undefined>,
): RawValue {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container) => {
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
