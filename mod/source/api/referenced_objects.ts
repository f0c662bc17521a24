/**
 * What the pods of an API server refer to, as it is there.
 *
 * The rules are those of the kubelet's pkg/kubelet/util/manager (watch based manager).
 *
 * @module
 */

import type { ListerWatcher } from "../../api/access/mod.ts";
import type { LocalObject } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { TaskGroup } from "../../base/mod.ts";
import {
  type InformerDeps,
  SharedInformer,
} from "../../informer/shared/mod.ts";
import {
  objectReferences,
  type PodToken,
  podTokens,
  TOKEN_KEY,
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

/** Keeps one token until it is told to stop. */
export interface TokenKeeper {
  /** Calls `took` with each new text; never rejects. */
  keep(
    wish: PodToken & { readonly pod: Pod },
    took: (token: Uint8Array) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What referenced objects are read through. */
export interface ReferencedObjectsDeps extends InformerDeps {
  readonly source: (kind: WatchedObjectKind) => ListerWatcher<ApiObject>;
  /** The object as pods have it; absent for what is none, which it reports itself. */
  readonly read: (
    kind: WatchedObjectKind,
    object: ApiObject,
  ) => LocalObject | undefined;
  readonly tokens: TokenKeeper;
}

/** What pods name by one reference. */
interface HeldReference {
  readonly stop: AbortController;
  /** What there is of it. */
  state: "unknown" | readonly LocalObject[];
}

/**
 * Watches each ConfigMap, Secret and RuntimeClass that some pod names, by its name, as
 * long as one does, and keeps the tokens of pods. One that is immutable is not watched
 * any more once it is there. What could not be asked yet is unknown and not absent.
 *
 * Services are watched in the namespaces of pods that are told of them, and the one of the
 * API server by its name: upstream watches those of the whole cluster.
 */
export class ReferencedObjects {
  readonly #deps: ReferencedObjectsDeps;
  readonly #held = new Map<string, HeldReference>();
  readonly #listeners = new Set<() => void>();
  #pods: readonly Pod[] = [];
  #tasks: TaskGroup | undefined;

  constructor(deps: ReferencedObjectsDeps) {
    this.#deps = deps;
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await using tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    this.want(this.#pods);
    await tasks.start((scope) => aborted(scope));
    this.#tasks = undefined;
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** Says whose references are wanted from now on. */
  want(pods: readonly Pod[]): void {
    this.#pods = pods;
    const tasks = this.#tasks;
    if (tasks === undefined) return;
    const wished = new Map(pods.flatMap((pod) => wishesOf(pod)));
    for (const [key, held] of this.#held) {
      if (wished.has(key)) continue;
      held.stop.abort();
      this.#held.delete(key);
    }
    for (const [key, wish] of wished) {
      if (this.#held.has(key)) continue;
      const held: HeldReference = {
        stop: new AbortController(),
        state: "unknown",
      };
      this.#held.set(key, held);
      tasks.start(async (scope) => {
        const signal = AbortSignal.any([scope, held.stop.signal]);
        await (wish.kind === "token"
          ? this.#keepToken(wish, held, signal)
          : this.#watch(wish, held, signal));
      });
    }
  }

  /** Whether all that a pod names was asked for. */
  isKnown(pod: Pod): boolean {
    return wishesOf(pod).every(([key]) =>
      (this.#held.get(key)?.state ?? "unknown") !== "unknown"
    );
  }

  /** What is there of all that is wanted. */
  list(): readonly LocalObject[] {
    return [...this.#held.values()].flatMap(({ state }) =>
      state === "unknown" ? [] : state
    );
  }

  /** Has a listener called whenever something is another one, or known. */
  follow(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async #keepToken(
    { token, pod }: Extract<Wish, { readonly kind: "token" }>,
    held: HeldReference,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace } = pod.metadata;
    await this.#deps.tokens.keep({ ...token, pod }, (text) => {
      this.#set(held, [{
        kind: "Secret",
        namespace,
        name: token.object,
        type: "Opaque",
        immutable: false,
        entries: new Map([[TOKEN_KEY, text]]),
      }]);
    }, signal);
  }

  async #watch(
    { object, namespace, name }: Extract<Wish, { readonly kind: "object" }>,
    held: HeldReference,
    signal: AbortSignal,
  ): Promise<void> {
    const { source } = this.#deps;
    const stop = new AbortController();
    const scope = AbortSignal.any([signal, stop.signal]);
    const informer = new SharedInformer<ApiObject>(
      { ...this.#deps, source: source(object) },
      {
        apiVersion: WATCHED_KINDS[object],
        kind: object,
        selection: {
          ...(namespace !== "" && { namespace }),
          ...(name !== "" && { fieldSelector: `metadata.name=${name}` }),
        },
      },
    );
    const reader = new VersionReader((found) => this.#deps.read(object, found));
    const look = (): void => {
      if (!informer.hasSynced) return;
      const values = reader.read(informer.lister.list());
      this.#set(held, values);
      const isFinal = name !== "" &&
        values.some((value) => "immutable" in value && value.immutable);
      if (isFinal) stop.abort();
    };
    using _handler = informer.addHandler(look, { name: "pods" });
    const running = informer.run(scope);
    try {
      await informer.synced(scope);
      look();
    } catch (error) {
      if (!scope.aborted) throw error;
    }
    await running;
  }

  #set(held: HeldReference, state: HeldReference["state"]): void {
    if (held.stop.signal.aborted) return;
    held.state = state;
    for (const listener of this.#listeners) listener();
  }
}

type Wish =
  | {
    readonly kind: "object";
    readonly object: WatchedObjectKind;
    readonly namespace: string;
    /** Empty: all of the namespace. */
    readonly name: string;
  }
  | { readonly kind: "token"; readonly token: PodToken; readonly pod: Pod };

type KeyedWish = readonly [key: string, wish: Wish];

function wishesOf(pod: Pod): KeyedWish[] {
  const tokens = new Map(podTokens(pod).map((each) => [each.object, each]));
  const named = objectReferences(pod).flatMap(
    ({ kind, namespace, name }): KeyedWish[] => {
      const token = kind === "Secret" ? tokens.get(name) : undefined;
      if (token !== undefined) {
        const key = `${kind} ${namespace}/${name}`;
        return [[key, { kind: "token", token, pod }]];
      }
      return isWatched(kind) ? [objectWish(kind, namespace, name)] : [];
    },
  );
  return [...named, ...serviceWishes(pod)];
}

/** Upstream: getServiceEnvVarMap of pkg/kubelet/kubelet_pods.go. */
function serviceWishes({ metadata, spec }: Pod): KeyedWish[] {
  const { namespace } = metadata;
  const own = spec.enableServiceLinks === false
    ? []
    : [objectWish("Service", namespace, "")];
  // Whoever has all of that namespace has this one, too.
  return own.length > 0 && namespace === "default"
    ? own
    : [...own, objectWish("Service", "default", "kubernetes")];
}

function objectWish(
  object: WatchedObjectKind,
  namespace: string,
  name: string,
): KeyedWish {
  const wish = { kind: "object", object, namespace, name } as const;
  return [`${object} ${namespace}/${name}`, wish];
}

/** Whether it is a Service without an address, of which no container is told. */
function isUntold(object: LocalObject): boolean {
  return object.kind === "Service" && object.address === undefined;
}

/** Reads each version of an object once; what cannot be read leaves what there was. */
class VersionReader {
  readonly #readOne: (object: ApiObject) => LocalObject | undefined;
  #known = new Map<
    string,
    { readonly object: ApiObject; readonly value: LocalObject | undefined }
  >();

  constructor(readOne: (object: ApiObject) => LocalObject | undefined) {
    this.#readOne = readOne;
  }

  read(objects: readonly ApiObject[]): readonly LocalObject[] {
    const before = this.#known;
    this.#known = new Map(objects.map((object) => {
      const { namespace = "", name } = object.metadata;
      const key = `${namespace}/${name}`;
      const held = before.get(key);
      if (held?.object === object) return [key, held];
      return [key, { object, value: this.#readOne(object) ?? held?.value }];
    }));
    return [...this.#known.values()].flatMap(({ value }) =>
      value === undefined || isUntold(value) ? [] : value
    );
  }
}

function isWatched(
  kind: LocalObject["kind"] | string,
): kind is WatchedObjectKind {
  return kind in WATCHED_KINDS;
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
