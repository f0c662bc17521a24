/**
 * Which other objects a pod refers to by name.
 *
 * @module
 */

import type { ContainerSpec, Pod, Volume } from "../../api/types/mod.ts";
import type {
  LocalObject,
  ObjectGetter,
  ObjectRef,
} from "../../api/objects/mod.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../api/vocabulary/mod.ts";
import { claimOfVolume } from "./volume_claims.ts";
import { podTokens } from "./tokens.ts";

/** Where the content of one volume lies on the node. */
export interface VolumeSource {
  /** Absolute path of the directory or file that is mounted. */
  readonly hostPath: string;
  /** True when the volume may not be written, whatever the mount says. */
  readonly readOnly: boolean;
}

/** One object that a pod names. */
export interface ObjectReference extends ObjectRef {
  readonly kind: LocalObject["kind"];
  /** True when the pod can do without the object. */
  readonly optional: boolean;
}

/**
 * Lists every object that a pod refers to, each once, in the order of the first
 * mention. One that is needed anywhere is not optional; the namespace of a
 * RuntimeClass is empty.
 */
export function objectReferences(pod: Pod): readonly ObjectReference[] {
  const { namespace } = pod.metadata;
  const found = new Map<string, ObjectReference>();
  for (const mention of mentions(pod)) {
    const { kind, name = "", optional } = mention;
    if (name === "") continue;
    const key = `${kind}/${name}`;
    found.set(key, {
      kind,
      namespace: kind === "RuntimeClass" ? "" : namespace,
      name,
      optional: optional && (found.get(key)?.optional ?? true),
    });
  }
  return [...found.values()];
}

/** Finds the objects that a pod may refer to: those from where it comes itself. */
export interface PodObjects {
  seenBy(pod: Pick<Pod, "metadata">): ObjectGetter;
}

/** Something of which a server does not say whether it is there. */
export interface WithheldObject extends ObjectRef {
  readonly kind: LocalObject["kind"];
  /** What it says instead. */
  readonly why: string;
}

/** Whether an API server gave the pod: nothing of this node's own is for it. */
export function isOfCluster({ metadata }: Pick<Pod, "metadata">): boolean {
  return metadata.annotations?.[ANNOTATION_CONFIG_SOURCE] === "api";
}

interface Mention {
  readonly kind: ObjectReference["kind"];
  readonly name: string | undefined;
  readonly optional: boolean;
}

/** What the wire's references to a named object have in common. */
interface NamedRef {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

function mentions(pod: Pod): readonly Mention[] {
  const { spec } = pod;
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [
    // A handler of that name may do as well.
    { kind: "RuntimeClass", name: spec.runtimeClassName, optional: true },
    // As upstream a pod without its credentials is pulled without them.
    ...(spec.imagePullSecrets ?? []).map(({ name }): Mention => ({
      kind: "Secret",
      name,
      optional: true,
    })),
    ...(spec.volumes ?? []).flatMap((each) => volumeMentions(pod, each)),
    ...podTokens(pod).map(({ object }) => (
      { kind: "Secret", name: object, optional: false } as const
    )),
    ...[...initContainers, ...containers, ...ephemeralContainers]
      .flatMap(containerMentions),
  ];
}

function volumeMentions(pod: Pod, volume: Volume): readonly Mention[] {
  const { configMap, secret, projected } = volume;
  const claim = claimOfVolume(pod, volume);
  const sources = projected?.sources ?? [];
  return [
    ...mention("ConfigMap", configMap),
    ...mention(
      "Secret",
      secret && { name: secret.secretName, optional: secret.optional },
    ),
    ...sources.flatMap((source) => [
      ...mention("ConfigMap", source.configMap),
      ...mention("Secret", source.secret),
    ]),
    ...mention("PersistentVolumeClaim", claim && { name: claim.claimName }),
  ];
}

function containerMentions(
  container: Pick<ContainerSpec, "env" | "envFrom">,
): readonly Mention[] {
  return [
    ...(container.envFrom ?? []).flatMap((source) => [
      ...mention("ConfigMap", source.configMapRef),
      ...mention("Secret", source.secretRef),
    ]),
    ...(container.env ?? []).flatMap(({ valueFrom }) => [
      ...mention("ConfigMap", valueFrom?.configMapKeyRef),
      ...mention("Secret", valueFrom?.secretKeyRef),
    ]),
  ];
}

function mention(
  kind: Mention["kind"],
  ref: NamedRef | undefined,
): readonly Mention[] {
  if (ref === undefined) return [];
  return [{ kind, name: ref.name, optional: ref.optional === true }];
}
