/**
 * The rows of docs/pod-fields.md: what becomes of each field of a Pod.
 *
 * @module
 */

/** A manifest, or a part of one, as data. */
export type Draft = Readonly<Record<string, unknown>>;

/** Where the effect of a field shows. */
export type Effect =
  /** The request for the pod's sandbox. */
  | "sandbox"
  /** The requests for its containers. */
  | "container"
  /** The managed /etc/hosts. */
  | "hosts file"
  /** The files that the agent writes, and what is mounted of them. */
  | "volumes"
  /** What is started, restarted and left alone. */
  | "plan"
  /** What containers are asked by their probes, and when. */
  | "probes"
  /** How long containers get to end. */
  | "stop"
  /** When images are pulled. */
  | "pull"
  /** Whether the node takes the pod. */
  | "admission"
  /** Whether new resources reach the running container or restart it. */
  | "resize"
  /** How much the pod may write before it is evicted. */
  | "eviction"
  /** The pod's status. */
  | "status"
  /** Its name, its UID and what containers see of both. */
  | "identity";

/** A test elsewhere that shows an effect. */
export interface Shown {
  /** Path from the top of the repository. */
  readonly file: string;
  /** Words of the test's name. */
  readonly name: string;
}

/** What becomes of one field. */
export type FieldRow =
  | {
    readonly kind: "done";
    /** Where it shows, in words. */
    readonly note: string;
    readonly seen: Effect | Shown;
    /** A pod that sets the field, once. */
    readonly example: Draft;
    /** What the field says in the other pod, where it cannot be left out. */
    readonly instead?: unknown;
  }
  | {
    /** A pod that sets it is refused with this message. */
    readonly kind: "refused";
    readonly message: string;
    readonly example: Draft;
  }
  | {
    /** The pod runs, without what the field asks for, and the operator is told so. */
    readonly kind: "warned";
    readonly message: string;
    readonly example: Draft;
  }
  | {
    /** The pod runs as it would without: nothing on a node without an API server has a use for it. */
    readonly kind: "not_applicable";
    readonly why: string;
    readonly example: Draft;
    readonly instead?: unknown;
  };

/** The rows of one type by field. */
export type TypeRows = Readonly<Record<string, FieldRow>>;

/** All types by name; a type that can only stand where it is refused has one row. */
export type FieldTable = Readonly<
  Record<string, TypeRows | { readonly refusedAs: string }>
>;

/** A field that is honoured. */
export function done(
  seen: Effect | Shown,
  note: string,
  example: Draft,
  ...instead: readonly unknown[]
): FieldRow {
  const row = { kind: "done", seen, note, example } as const;
  return instead.length === 0 ? row : { ...row, instead: instead[0] };
}

/** A field that refuses its pod. */
export function refused(message: string, example: Draft): FieldRow {
  return { kind: "refused", message, example };
}

/** A field that is left out and told of. */
export function warned(message: string, example: Draft): FieldRow {
  return { kind: "warned", message, example };
}

/** A field that means nothing on this node. */
export function notApplicable(
  why: string,
  example: Draft,
  ...instead: readonly unknown[]
): FieldRow {
  const row = { kind: "not_applicable", why, example } as const;
  return instead.length === 0 ? row : { ...row, instead: instead[0] };
}

/** A test elsewhere. */
export function shownBy(file: string, name: string): Shown {
  return { file, name };
}

const IMAGE = "localhost/app:1";

/** A pod with these fields in its spec. */
export function pod(spec: Draft = {}, metadata: Draft = {}): Draft {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", ...metadata },
    spec: { containers: [{ name: "c", image: IMAGE }], ...spec },
  };
}

/** A pod whose container has these fields. */
export function container(fields: Draft, spec: Draft = {}): Draft {
  return pod({ containers: [{ name: "c", image: IMAGE, ...fields }], ...spec });
}

/** A pod with an init container that has these fields. */
export function init(fields: Draft, spec: Draft = {}): Draft {
  return pod({
    initContainers: [{ name: "i", image: IMAGE, ...fields }],
    ...spec,
  });
}

/** A pod whose container mounts a volume of this source, and mounts it so. */
export function volume(source: Draft, mount: Draft = {}): Draft {
  return container(
    { volumeMounts: [{ name: "v", mountPath: "/v", ...mount }] },
    { volumes: [{ name: "v", ...source }] },
  );
}

/** A pod with this security context. */
export function podSecurity(securityContext: Draft): Draft {
  return pod({ securityContext });
}

/** A pod whose container has this security context. */
export function security(securityContext: Draft, spec: Draft = {}): Draft {
  return container({ securityContext }, spec);
}

/** A pod whose container has one variable from elsewhere. */
export function variable(valueFrom: Draft): Draft {
  return container({ env: [{ name: "A", valueFrom }] });
}
