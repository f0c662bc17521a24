/**
 * What of an API server the pods of a node want.
 *
 * @module
 */

import type { ObjectId } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  objectReferences,
  type PodToken,
  podTokens,
} from "../../pod/inputs/mod.ts";

/** What is watched: by name, and Services of the namespaces that have pods. */
export const WATCHED_KINDS = {
  ConfigMap: "v1",
  Secret: "v1",
  RuntimeClass: "node.k8s.io/v1",
  Service: "v1",
} as const;

/** One of those kinds. */
export type WatchedObjectKind = keyof typeof WATCHED_KINDS;

/** One thing that is wanted, and how it is had. */
export type Wish =
  | {
    readonly kind: "object";
    /** Of a Service the name may be empty: all of the namespace. */
    readonly id: ObjectId & { readonly kind: WatchedObjectKind };
  }
  | {
    readonly kind: "claim";
    readonly id: ObjectId & { readonly kind: "PersistentVolumeClaim" };
  }
  | {
    readonly kind: "token";
    readonly id: ObjectId & { readonly kind: "Secret" };
    readonly token: PodToken;
    readonly pod: Pod;
  };

/** A wish under a key that is equal for the same wish. */
export type KeyedWish = readonly [key: string, wish: Wish];

/** All that a pod wants. */
export function wishesOf(pod: Pod): readonly KeyedWish[] {
  const tokens = new Map(podTokens(pod).map((each) => [each.object, each]));
  const named = objectReferences(pod).flatMap(
    ({ kind, namespace, name }): KeyedWish[] => {
      const id = { namespace, name };
      if (kind === "PersistentVolumeClaim") {
        // As upstream each pod asks anew: a claim that is about to go takes no other one.
        const key = `${keyOf({ kind, ...id })} ${pod.metadata.uid}`;
        return [[key, { kind: "claim", id: { kind, ...id } }]];
      }
      const token = kind === "Secret" ? tokens.get(name) : undefined;
      if (kind === "Secret" && token !== undefined) {
        const secret = { kind, ...id };
        return [[keyOf(secret), { kind: "token", id: secret, token, pod }]];
      }
      return isWatched(kind) ? [objectWish(kind, id)] : [];
    },
  );
  return [...named, ...serviceWishes(pod)];
}

/** Whether the answer to a wish says whether an object is there. */
export function covers({ id: wanted }: Wish, id: ObjectId): boolean {
  return wanted.kind === id.kind && wanted.namespace === id.namespace &&
    (wanted.name === id.name || wanted.name === "");
}

/** Upstream: getServiceEnvVarMap of pkg/kubelet/kubelet_pods.go. */
function serviceWishes({ metadata, spec }: Pod): readonly KeyedWish[] {
  const { namespace } = metadata;
  const own = spec.enableServiceLinks === false
    ? []
    : [objectWish("Service", { namespace, name: "" })];
  // Whoever has all of that namespace has this one, too.
  return own.length > 0 && namespace === "default"
    ? own
    : [...own, objectWish("Service", KUBERNETES)];
}

/** The Service of the API server. */
const KUBERNETES = { namespace: "default", name: "kubernetes" };

function objectWish(
  kind: WatchedObjectKind,
  place: { readonly namespace: string; readonly name: string },
): KeyedWish {
  const id = { kind, ...place };
  return [keyOf(id), { kind: "object", id }];
}

function keyOf({ kind, namespace, name }: ObjectId): string {
  return `${kind} ${namespace}/${name}`;
}

function isWatched(kind: ObjectId["kind"]): kind is WatchedObjectKind {
  return kind in WATCHED_KINDS;
}
