/**
 * From what an API server gives to claims of a cluster, and the volumes that they are bound to.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { FaultList, type Place, rootPlace } from "../fault/mod.ts";
import type { ObjectRef } from "../objects/mod.ts";
import type { RawObject } from "../text/mod.ts";
import type { PodSpec } from "../types/mod.ts";
import type { ClusterReading } from "./cluster_objects.ts";
import { readTyped } from "./schema.ts";

/** A PersistentVolumeClaim as far as a node wants to know it. */
export interface ClusterClaim extends ObjectRef {
  readonly uid: string;
  /** The UID of the object that controls it; empty when none does. */
  readonly ownerUid: string;
  /** Whether it was deleted, and is there as long as pods use it. */
  readonly isEnding: boolean;
  readonly isBound: boolean;
  /** Empty as long as it has none. */
  readonly volumeName: string;
  readonly accessModes: readonly string[];
  readonly volumeMode: "Filesystem" | "Block";
}

/** A PersistentVolume as far as a node wants to know it. */
export interface ClusterVolume {
  readonly name: string;
  /** The UID of the claim that has it; absent as long as none has. */
  readonly claimUid?: string;
  readonly mountOptions: readonly string[];
  /** Which nodes have it; absent when all do. */
  readonly nodeTerms?: NodeTerms;
  readonly source:
    | {
      readonly kind: "hostPath";
      readonly path: string;
      readonly type: string;
    }
    | { readonly kind: "local"; readonly path: string }
    | { readonly kind: "foreign"; readonly plugin: string };
}

/** What a volume asks of its nodes: one of these. */
export type NodeTerms = NonNullable<
  NonNullable<
    NonNullable<PodSpec["affinity"]>["nodeAffinity"]
  >["requiredDuringSchedulingIgnoredDuringExecution"]
>["nodeSelectorTerms"];

/** Reads a claim. */
export function readClusterClaim(
  object: unknown,
): ClusterReading<ClusterClaim> {
  return reading(object, (root, at) => {
    const metadata = recordOf(root["metadata"]);
    const spec = recordOf(root["spec"]);
    const specAt = at.child("spec");
    const mode = textOf(spec["volumeMode"], specAt.child("volumeMode"));
    return {
      namespace: textOf(metadata["namespace"], at.child("metadata")),
      name: textOf(metadata["name"], at.child("metadata")),
      uid: textOf(metadata["uid"], at.child("metadata").child("uid")),
      ownerUid: controllerOf(metadata["ownerReferences"]),
      isEnding: typeof metadata["deletionTimestamp"] === "string",
      isBound: recordOf(root["status"])["phase"] === "Bound",
      volumeName: textOf(spec["volumeName"], specAt.child("volumeName")),
      accessModes: textsOf(spec["accessModes"], specAt.child("accessModes")),
      volumeMode: mode === "Block" ? "Block" : "Filesystem",
    };
  });
}

/** Reads a volume. */
export function readClusterVolume(
  object: unknown,
): ClusterReading<ClusterVolume> {
  return reading(object, (root, at) => {
    const spec = recordOf(root["spec"]);
    const specAt = at.child("spec");
    const { claimRef, nodeAffinity } = spec;
    const terms = nodeAffinity === undefined
      ? undefined
      : termsOf(nodeAffinity, specAt.child("nodeAffinity"));
    return {
      name: textOf(recordOf(root["metadata"])["name"], at.child("metadata")),
      ...(isRecord(claimRef) &&
        { claimUid: textOf(claimRef["uid"], specAt.child("claimRef")) }),
      mountOptions: textsOf(spec["mountOptions"], specAt.child("mountOptions")),
      ...(terms !== undefined && { nodeTerms: terms }),
      source: sourceOf(spec, specAt),
    };
  });
}

/** The fields of a volume's spec that do not say what it is made of. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(
  `accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy
  storageClassName volumeAttributesClassName volumeMode`.split(/\s+/),
);

function sourceOf(spec: WireFields, at: Place): ClusterVolume["source"] {
  const { hostPath, local } = spec;
  if (isRecord(hostPath)) {
    const hostAt = at.child("hostPath");
    return {
      kind: "hostPath",
      path: pathOf(hostPath["path"], hostAt),
      type: textOf(hostPath["type"], hostAt.child("type")),
    };
  }
  if (isRecord(local)) {
    return { kind: "local", path: pathOf(local["path"], at.child("local")) };
  }
  const plugin = Object.keys(spec).find((key) =>
    !PLAIN_FIELDS.has(key) && isRecord(spec[key])
  );
  return { kind: "foreign", plugin: plugin ?? "none" };
}

function pathOf(value: unknown, at: Place): string {
  const path = textOf(value, at.child("path"));
  if (path === "") at.child("path").required("");
  return path;
}

/** An affinity that requires nothing, unlike none, is one that no node has. */
function termsOf(affinity: unknown, at: Place): NodeTerms | undefined {
  const required = recordOf(affinity)["required"];
  if (!isRecord(required)) return undefined;
  // The schema checks every field; what is wrong is missing and reported.
  const { nodeSelectorTerms = [] } = readTyped(
    // It was decoded from JSON, and is an object.
    required as RawObject,
    "NodeSelector",
    at.child("required"),
  ) as { readonly nodeSelectorTerms?: NodeTerms };
  return nodeSelectorTerms;
}

function controllerOf(owners: unknown): string {
  const controller = Array.isArray(owners)
    ? owners.map(recordOf).find((each) => each["controller"] === true)
    : undefined;
  const uid = controller?.["uid"];
  return typeof uid === "string" ? uid : "";
}

type WireFields = Readonly<Record<string, unknown>>;

function reading<T>(
  object: unknown,
  read: (root: WireFields, at: Place) => T,
): ClusterReading<T> {
  const faults = new FaultList({ unknownFields: "warn" });
  const at = rootPlace(faults);
  if (!isRecord(object)) at.invalid(null, "wanted an object");
  const value = read(recordOf(object), at);
  return faults.isEmpty
    ? { kind: "read", value }
    : { kind: "refused", faults: faults.faults };
}

function textsOf(value: unknown, at: Place): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return value.map((each, index) => textOf(each, at.index(index)));
  }
  at.invalid(null, "wanted a list");
  return [];
}

function textOf(value: unknown, at: Place): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  at.invalid(null, "wanted a text");
  return "";
}

function recordOf(value: unknown): WireFields {
  return isRecord(value) ? value : {};
}
