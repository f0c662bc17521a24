/**
 * One informer for each kind, however many ask for it.
 *
 * @module
 */

import { invariant, TaskGroup } from "../../base/mod.ts";
import type {
  KindRef,
  ListerWatcher,
  Selection,
} from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { Indexers } from "../store/mod.ts";
import { type InformerDeps, SharedInformer } from "./shared_informer.ts";

/** A kind of objects, and who has them: what informers are asked for by. */
export class WatchedKind<T extends ApiObject> {
  readonly ref: KindRef;
  readonly source: ListerWatcher<T>;
  readonly indexers: Indexers<T>;
  readonly #made = new WeakMap<SharedInformerFactory, SharedInformer<T>>();

  constructor(
    ref: KindRef,
    source: ListerWatcher<T>,
    indexers: Indexers<T> = {},
  ) {
    this.ref = ref;
    this.source = source;
    this.indexers = indexers;
  }

  /** The informer of a factory, made if need be; {@linkcode SharedInformerFactory.informer}. */
  informerOf(
    factory: SharedInformerFactory,
    make: () => SharedInformer<T>,
  ): SharedInformer<T> {
    const made = this.#made.get(factory) ?? make();
    this.#made.set(factory, made);
    return made;
  }
}

/** What all informers of a factory have in common. */
export interface FactoryOptions {
  /** Which objects of each kind are read. @default all */
  readonly selection?: Selection;
  /** See {@linkcode InformerOptions.resyncMs}. */
  readonly resyncMs?: number;
  /** See {@linkcode ReflectorOptions.streams}. */
  readonly streams?: boolean;
}

/** Makes informers, one for each kind, and runs them together. */
export class SharedInformerFactory {
  readonly #deps: InformerDeps;
  readonly #options: FactoryOptions;
  readonly #informers = new Set<AnyInformer>();
  #tasks: TaskGroup | undefined;

  constructor(deps: InformerDeps, options: FactoryOptions = {}) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The informer of a kind; it begins when it is made if the factory runs already. */
  informer<T extends ApiObject>(kind: WatchedKind<T>): SharedInformer<T> {
    return kind.informerOf(this, () => {
      const { ref, source, indexers } = kind;
      const { apiVersion, kind: name } = ref;
      const informer = new SharedInformer<T>({ ...this.#deps, source }, {
        ...this.#options,
        apiVersion,
        kind: name,
        indexers,
      });
      this.#informers.add(informer);
      this.#start(informer);
      return informer;
    });
  }

  /**
   * Runs all informers until `signal` aborts, those that are made meanwhile, too.
   *
   * @throws {InvariantError} When it has been run before.
   */
  async run(signal: AbortSignal): Promise<void> {
    invariant(this.#tasks === undefined, "A factory of informers runs once");
    const tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    for (const informer of this.#informers) this.#start(informer);
    const over = Promise.withResolvers<void>();
    tasks.signal.addEventListener("abort", () => over.resolve());
    if (!tasks.signal.aborted) await over.promise;
    await tasks[Symbol.asyncDispose]();
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /**
   * Waits until every informer that there is now has its first list in its store.
   *
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(
      [...this.#informers].map((informer) => informer.synced(signal)),
    );
  }

  #start(informer: AnyInformer): void {
    void this.#tasks?.start((signal) => informer.run(signal));
  }
}

/** What a factory does with an informer, whatever it reads. */
type AnyInformer = Pick<SharedInformer<ApiObject>, "run" | "synced">;
