/**
 * From one document of a manifest, in values of JSON, to pods and objects.
 *
 * @module
 */

import { readLocalObject } from "./decode_object.ts";
import { withoutAddresses } from "./decode_service.ts";
import {
  DOCUMENT_KINDS,
  isItemKind,
  ITEM_KINDS,
  type ItemKind,
  POD_KINDS,
} from "./manifest_kinds.ts";
import { readWorkload } from "./decode_workload.ts";
import {
  warnOfLeftOut,
  withoutClusterFields,
  withoutServerFields,
} from "./exported_pod.ts";
import { applyPodDefaults } from "../defaults/mod.ts";
import type { WorkMeter } from "../../base/mod.ts";
import {
  type Fault,
  type FaultBudget,
  FaultList,
  type Place,
  rootPlace,
  type UnknownFields,
} from "../fault/mod.ts";
import type { LocalObject } from "../objects/mod.ts";
import { validatePod } from "../validate/mod.ts";
import { warnOfPod } from "./pod_warnings.ts";
import { readTyped } from "./schema.ts";
import { isRawObject, type RawObject, type RawValue } from "../text/mod.ts";
import type { ObjectMeta, PodBody, PodSpec } from "../types/mod.ts";
import {
  isWorkloadKind,
  type WorkloadKind,
  type WorkloadManifest,
} from "../workload/mod.ts";

/** A pod that was decoded, defaulted and validated, and has no identity yet. */
export interface DecodedPod extends PodBody {
  readonly metadata: ObjectMeta & { readonly name: string };
  /**
   * The spec as the manifest has it, without defaults: what the pod's identity is
   * made from, so that an agent with other defaults still knows the pod.
   */
  readonly writtenSpec: PodSpec;
  /** What is allowed in it and seldom meant. */
  readonly warnings: readonly Fault[];
}

/** How manifests are read. */
export interface ManifestOptions {
  /**
   * What becomes of fields that the API does not have.
   *
   * @default "refuse"
   */
  readonly unknownFields?: UnknownFields;
  /** Counts characters looked at, values made and places checked. */
  readonly meter?: WorkMeter;
}

/** A pod that a refused manifest names, as far as it could be read. */
export interface PodNameHint {
  readonly name: string;
  readonly namespace?: string;
}

/** What something that is not valid says of itself. */
export interface PartHint {
  /** Absent when it says no name that could be read. */
  readonly named?: PodNameHint;
  readonly isPod: boolean;
  /** Absent when it does not say that it is one of the kinds that can be here. */
  readonly kind?: ItemKind;
}

/** How one document is read. */
export interface ReaderOptions extends ManifestOptions {
  /** Whether what is not understood may be quoted. */
  readonly mayShow: boolean;
  /** The budget of the whole text, so that it bounds the faults of all documents together. */
  readonly budget: FaultBudget;
}

/** Reads one document and gathers what is in it. */
export class DocumentReader {
  readonly faults: FaultList;
  readonly pods: DecodedPod[] = [];
  readonly objects: LocalObject[] = [];
  readonly workloads: WorkloadManifest[] = [];
  readonly named: PodNameHint[] = [];
  /** Of whatever was read last, a pod or not. */
  #named: PodNameHint | undefined;
  #kind: ItemKind | undefined;
  readonly #mayShow: boolean;

  constructor(options: ReaderOptions) {
    this.faults = new FaultList(options);
    this.#mayShow = options.mayShow;
  }

  object(value: RawValue): void {
    const at = rootPlace(this.faults);
    if (!isRawObject(value)) {
      const wanted = "wanted a mapping with apiVersion, kind and metadata";
      this.#stray(at).invalid(value, wanted);
      return;
    }
    this.#read(value, at, DOCUMENT_KINDS);
  }

  #list(value: RawObject, at: Place): void {
    for (const key of Object.keys(value)) {
      if (LIST_FIELDS.has(key)) continue;
      at.child(key).unknownField(
        `Unknown field: ${value["kind"]} has no such field`,
      );
    }
    const items = value["items"] ?? [];
    const itemsAt = at.child("items");
    if (!Array.isArray(items)) {
      this.#stray(itemsAt).invalid(items, "wanted a list");
      return;
    }
    for (const [position, item] of items.entries()) {
      this.item(item, value["kind"] === "PodList", itemsAt.index(position));
    }
  }

  /** What a part that is not valid says of itself, once it has been read. */
  get hint(): PartHint {
    const [named = this.#named] = this.named;
    const isPod = this.named.length > 0;
    return {
      isPod,
      ...(named !== undefined && { named }),
      ...(this.#kind !== undefined && { kind: this.#kind }),
    };
  }

  item(value: RawValue, isPod: boolean, at: Place): void {
    if (!isRawObject(value)) {
      const wanted = isPod ? "wanted a Pod" : "wanted an object";
      this.#stray(at).invalid(value, wanted);
      return;
    }
    // The items of a PodList from an API server do not say again what they are.
    const filled = isPod ? { apiVersion: "v1", kind: "Pod", ...value } : value;
    this.#read(filled, at, isPod ? POD_KINDS : ITEM_KINDS);
  }

  #object(kind: LocalObject["kind"], value: RawObject, at: Place): void {
    const settle = (): void => this.faults.settle();
    const plain = kind === "Service" ? withoutAddresses(value) : value;
    const own = withoutServerFields(plain, {
      hasStatus: kind === "PersistentVolumeClaim" || kind === "Service",
    });
    this.objects.push(readLocalObject(kind, own, { at, settle }));
  }

  #workload(kind: WorkloadKind, value: RawObject, at: Place): void {
    this.workloads.push(readWorkload(kind, value, {
      at,
      settle: () => this.faults.settle(),
      isFaultless: () => this.faults.isEmpty,
    }));
  }

  /** Where a text is that is no document: what is not understood can be a Secret. */
  #stray(at: Place): Place {
    return this.#mayShow ? at : at.concealed();
  }

  #pod(value: RawObject, at: Place): void {
    const hint = nameHint(value);
    if (hint !== undefined) this.named.push(hint);
    const warned = this.faults.warnings.length;
    const { value: plain, leftOut } = withoutClusterFields(value);
    warnOfLeftOut(leftOut, at);
    const typed = readTyped(plain, "Pod", at);
    this.faults.settle();
    const pod = podBody(typed);
    const full = applyPodDefaults(pod);
    validatePod(full, at);
    if (this.faults.isEmpty) warnOfPod(full, at);
    const { name = "" } = full.metadata;
    this.pods.push({
      ...full,
      metadata: { ...full.metadata, name },
      writtenSpec: pod.spec,
      warnings: this.faults.warnings.slice(warned),
    });
  }

  #read(
    value: RawObject,
    at: Place,
    kinds: ReadonlyMap<string, string>,
  ): void {
    this.#named = nameHint(value);
    const kind = value["kind"] ?? "";
    const apiVersion = value["apiVersion"] ?? "";
    this.#kind = isItemKind(kind) ? kind : undefined;
    const names = [...kinds.keys()];
    const known = typeof kind === "string" ? kinds.get(kind) : undefined;
    if (kind === "") at.child("kind").required(`one of ${names.join(", ")}`);
    else if (known === undefined) at.child("kind").unsupported(kind, names);
    const wanted = known ?? "v1";
    if (apiVersion === "") at.child("apiVersion").required(`"${wanted}"`);
    else if (apiVersion !== wanted) {
      at.child("apiVersion").unsupported(apiVersion, [wanted]);
    }
    if (apiVersion !== known) return;
    if (!isItemKind(kind)) this.#list(value, at);
    else if (kind === "Pod") this.#pod(value, at);
    else if (isWorkloadKind(kind)) this.#workload(kind, value, at);
    else this.#object(kind, value, at);
  }
}

const LIST_FIELDS: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "items",
]);

function podBody(typed: unknown): PodBody {
  // The schema has checked every field; what was wrong is missing and reported.
  const { metadata = {}, spec } = typed as {
    metadata?: ObjectMeta;
    spec?: Partial<PodSpec>;
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { ...spec, containers: spec?.containers ?? [] },
  };
}

function nameHint(value: RawObject): PodNameHint | undefined {
  const { metadata } = value;
  if (!isRawObject(metadata)) return undefined;
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name === "") return undefined;
  // It is some other pod than the one of that name in the default namespace.
  const hasNamespace = namespace !== undefined && namespace !== null;
  if (hasNamespace && typeof namespace !== "string") return undefined;
  return hasNamespace && namespace !== "" ? { name, namespace } : { name };
}
