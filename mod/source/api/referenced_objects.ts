/**
 * What the pods of an API server refer to, as it is there.
 *
 * The rules are those of the kubelet's pkg/kubelet/util/manager (watch based manager).
 *
 * @module
 */

import type { ListerWatcher } from "../../api/access/mod.ts";
import type {
  ClaimObject,
  LocalObject,
  ObjectId,
  ObjectRef,
} from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { TaskGroup } from "../../base/mod.ts";
import {
  type InformerDeps,
  SharedInformer,
} from "../../informer/shared/mod.ts";
import type { PodToken, WithheldObject } from "../../pod/inputs/mod.ts";
import { tokenObject } from "./kept_set.ts";
import { type Answers, overheard } from "./refusal.ts";
import { VersionReader } from "./version_reader.ts";
import {
  covers,
  WATCHED_KINDS,
  type WatchedObjectKind,
  type Wish,
  wishesOf,
} from "./wishes.ts";

/** Keeps one token until it is told to stop. */
export interface TokenKeeper {
  /** Tells each new text; never rejects. */
  keep(
    wish: PodToken & { readonly pod: Pod },
    answers: Answers<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Asks for one claim until it is bound, or it is told to stop. */
export interface ClaimKeeper {
  /** Tells what there is of it, `undefined` when nothing is; never rejects. */
  keep(
    ref: ObjectRef,
    answers: Answers<ClaimObject | undefined>,
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
  readonly claims: ClaimKeeper;
}

/** What came of a wish. */
type Answer =
  /** The server has not spoken yet. */
  | { readonly kind: "unknown" }
  /** It lives, and does not say. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "known"; readonly objects: readonly LocalObject[] };

/** A wish that is worked on. */
interface HeldWish {
  readonly wish: Wish;
  readonly stop: AbortController;
  answer: Answer;
}

/**
 * Watches each ConfigMap, Secret and RuntimeClass that some pod names, by its name, as
 * long as one does, and keeps the tokens and claims of pods. One that is immutable is not
 * watched any more once it is there.
 *
 * What could not be asked yet is unknown and not absent. What a server that lives refuses
 * to say is withheld, until it says it; what was known before stays known.
 *
 * Services are watched in the namespaces of pods that are told of them, and the one of the
 * API server by its name: upstream watches those of the whole cluster.
 */
export class ReferencedObjects {
  readonly #deps: ReferencedObjectsDeps;
  readonly #held = new Map<string, HeldWish>();
  readonly #listeners = new Set<() => void>();
  #pods: readonly Pod[] = [];
  #tasks: TaskGroup | undefined;

  constructor(deps: ReferencedObjectsDeps) {
    this.#deps = { ...deps, log: deps.log.named("source") };
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
      const stop = new AbortController();
      const held: HeldWish = { wish, stop, answer: { kind: "unknown" } };
      this.#held.set(key, held);
      tasks.start((scope) =>
        this.#fulfil(held, AbortSignal.any([scope, stop.signal]))
      );
    }
  }

  /** Whether the server has answered for all that a pod names, were it by a refusal. */
  isKnown(pod: Pod): boolean {
    return wishesOf(pod).every(([key]) => {
      const { answer } = this.#held.get(key) ?? {};
      return answer !== undefined && answer.kind !== "unknown";
    });
  }

  /** A test of this moment: whether an object that is not listed is not there, or not wanted. */
  settled(): (id: ObjectId) => boolean {
    const open = [...this.#held.values()]
      .filter(({ answer }) => answer.kind !== "known")
      .map(({ wish }) => wish);
    return (id) => !open.some((wish) => covers(wish, id));
  }

  /** What is there of all that is wanted. */
  list(): readonly LocalObject[] {
    return [...this.#held.values()].flatMap(({ answer }) =>
      answer.kind === "known" ? answer.objects : []
    );
  }

  /** What is wanted, and what the server says instead. */
  withheld(): readonly WithheldObject[] {
    return [...this.#held.values()].flatMap(({ wish: { id }, answer }) => {
      if (answer.kind !== "refused") return [];
      const { kind, namespace, name } = id;
      return [{ kind, namespace, name, why: answer.why }];
    });
  }

  /** Has a listener called whenever something is another one, or known. */
  follow(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async #fulfil(held: HeldWish, signal: AbortSignal): Promise<void> {
    const { wish } = held;
    const { tokens, claims } = this.#deps;
    const refused = (why: string): void => this.#refuse(held, why);
    switch (wish.kind) {
      case "token": {
        const { token, pod } = wish;
        const took = (text: Uint8Array): void =>
          this.#know(held, [tokenObject(pod, token, text)]);
        return await tokens.keep(
          { ...token, pod },
          { took, refused },
          signal,
        );
      }
      case "claim": {
        const took = (claim: ClaimObject | undefined): void =>
          this.#know(held, claim === undefined ? [] : [claim]);
        return await claims.keep(wish.id, { took, refused }, signal);
      }
      case "object":
        return await this.#watch(wish.id, {
          took: (objects) => this.#know(held, objects),
          refused,
        }, signal);
    }
  }

  async #watch(
    { kind, namespace, name }: ObjectId & { readonly kind: WatchedObjectKind },
    { took, refused }: Answers<readonly LocalObject[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const stop = new AbortController();
    const scope = AbortSignal.any([signal, stop.signal]);
    const source = overheard(this.#deps.source(kind), refused);
    const informer = new SharedInformer<ApiObject>({ ...this.#deps, source }, {
      apiVersion: WATCHED_KINDS[kind],
      kind,
      selection: {
        ...(namespace !== "" && { namespace }),
        ...(name !== "" && { fieldSelector: `metadata.name=${name}` }),
      },
    });
    const reader = new VersionReader((found) => this.#deps.read(kind, found));
    const look = (): void => {
      if (!informer.hasSynced) return;
      const values = reader.read(informer.lister.list());
      took(values);
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

  #know(held: HeldWish, objects: readonly LocalObject[]): void {
    this.#answer(held, { kind: "known", objects });
  }

  /** A right that is lost later takes nothing from a pod that runs. */
  #refuse(held: HeldWish, why: string): void {
    const { answer, wish: { id } } = held;
    if (answer.kind === "known") return;
    if (answer.kind === "refused" && answer.why === why) return;
    const object = `${id.kind} ${id.namespace}/${id.name}`;
    this.#deps.log.warn("reference_refused", { object, reason: why });
    this.#answer(held, { kind: "refused", why });
  }

  #answer(held: HeldWish, answer: Answer): void {
    if (held.stop.signal.aborted) return;
    held.answer = answer;
    for (const listener of this.#listeners) listener();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
