/**
 * Pulls that go on by themselves.
 *
 * @module
 */

import { Topic, unlessAborted } from "../../base/mod.ts";
import type { Image } from "../../cri/model/mod.ts";
import type {
  ImageFailureReason,
  StartFailure,
} from "../../pod/lifecycle/mod.ts";

/** Each pod has at most one pull of an image. */
export interface PullKey {
  readonly uid: string;
  readonly image: string;
}

/** One image that is being pulled for one pod. */
export interface PullTask extends PullKey {
  /** On the monotonic clock in milliseconds. */
  readonly begunMs: number;
  /** What came of it; `undefined` while it goes on, and when it was given up. */
  readonly end: PullEnd | undefined;
}

interface Task extends PullTask {
  /** Resolves when it is over or was given up; never rejects. */
  over: Promise<void>;
  end: PullEnd | undefined;
  /** A caller waits for it and needs no notice of its end. */
  isAwaited: boolean;
  /** The container that was given the image, and may still wait for others. */
  usedBy?: string;
  readonly cancel: AbortController;
}

/**
 * The pulls under way, and the ends of those that were not asked for yet.
 *
 * Each pod has its own task for an image, so that one that is given up takes nothing
 * from another pod; tasks of several pods may share one call of the runtime.
 */
export class PullTasks {
  /** By pod UID, then by image. */
  readonly #tasks = new Map<string, Map<string, Task>>();
  /** Pods of which a pull has ended without a waiting caller, until that is published. */
  readonly #ended = new Set<string>();
  readonly #changes = new Topic<number>();

  /** The pull of an image for a pod, under way or over. */
  get(key: PullKey): PullTask | undefined {
    return this.#of(key);
  }

  /** Begins a pull. `work` rejects only when its signal aborts. */
  begin(
    of: PullKey & Pick<PullTask, "begunMs">,
    work: (signal: AbortSignal) => Promise<PullEnd>,
  ): PullTask {
    const cancel = new AbortController();
    const over = Promise.resolve();
    const task: Task = {
      ...of,
      cancel,
      over,
      end: undefined,
      isAwaited: false,
    };
    const tasks = this.#tasks.get(of.uid) ?? new Map<string, Task>();
    this.#tasks.set(of.uid, tasks.set(of.image, task));
    task.over = this.#carryOut(task, work);
    return task;
  }

  /** Forgets a pull that is over: its end was taken note of. */
  take(key: PullKey): void {
    const task = this.#of(key);
    if (task?.end !== undefined) this.#drop(task);
  }

  /**
   * Gives a container its image. It counts as pulled until {@linkcode settle}: one that
   * needs several would else pull the first again whenever another one has ended.
   */
  use(key: PullKey, container: string): void {
    const task = this.#of(key);
    if (task !== undefined) task.usedBy = container;
  }

  /** A container has been made of its images, or could not be: they are pulled anew. */
  settle(uid: string, container: string): void {
    for (const task of this.#ofPod(uid)) {
      if (task.usedBy === container) this.take(task);
    }
  }

  /**
   * Waits for the end of a pull, but no longer than until `patience` ends. A pull that
   * goes on then has its end published.
   *
   * @throws {unknown} The reason of `signal` when it aborts; the pull is given up then.
   */
  async wait(
    key: PullKey,
    options: { readonly patience: Promise<void>; signal: AbortSignal },
  ): Promise<void> {
    const task = this.#of(key);
    if (task === undefined) return;
    const { patience, signal } = options;
    task.isAwaited = true;
    try {
      await unlessAborted(Promise.race([task.over, patience]), signal);
    } catch (error) {
      this.#cancel(task);
      throw error;
    } finally {
      task.isAwaited = false;
    }
  }

  /** Gives up the pulls of a pod, but for those of images that it still wants. */
  giveUp(uid: string, wanted: ReadonlySet<string> = NOTHING): void {
    for (const task of this.#ofPod(uid)) {
      if (!wanted.has(task.image)) this.#cancel(task);
    }
  }

  /**
   * Yields the UID of each pod of which a pull has ended, until `signal` aborts. Then all
   * pulls are given up and waited for. To be run once.
   */
  async *ends(signal: AbortSignal): AsyncIterable<string> {
    try {
      for await (const _ of this.#changes.subscribe(signal)) {
        for (const uid of this.#ended) {
          this.#ended.delete(uid);
          yield uid;
        }
      }
    } finally {
      const all = [...this.#tasks.keys()].flatMap((uid) => this.#ofPod(uid));
      for (const task of all) this.#cancel(task);
      await Promise.all(all.map(({ over }) => over));
    }
  }

  async #carryOut(
    task: Task,
    work: (signal: AbortSignal) => Promise<PullEnd>,
  ): Promise<void> {
    try {
      task.end = await work(task.cancel.signal);
      if (task.isAwaited) return;
      this.#ended.add(task.uid);
      this.#changes.publish(this.#ended.size);
    } catch {
      // It was given up: a waiting caller has its own signal.
      this.#drop(task);
    }
  }

  #cancel(task: Task): void {
    this.#drop(task);
    task.cancel.abort();
  }

  #drop(task: Task): void {
    const tasks = this.#tasks.get(task.uid);
    if (tasks?.get(task.image) !== task) return;
    tasks.delete(task.image);
    if (tasks.size === 0) this.#tasks.delete(task.uid);
  }

  #of({ uid, image }: PullKey): Task | undefined {
    return this.#tasks.get(uid)?.get(image);
  }

  #ofPod(uid: string): Task[] {
    return [...this.#tasks.get(uid)?.values() ?? []];
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** The image is there, or why it is not; reasons as the kubelet spells them. */
export type PullEnd =
  | {
    readonly kind: "present";
    /** What CreateContainer gets: the image's id, or what the pull answered. */
    readonly imageRef: string;
    /** The user that the image declares. */
    readonly image: Pick<Image, "uid" | "username">;
  }
  | (StartFailure & {
    readonly kind: "failed";
    readonly reason: ImageFailureReason;
  });

/** That, or the image is still being pulled: the end is published for its pod. */
export type ImageOutcome = PullEnd | { readonly kind: "pulling" };

/**
 * What has come of fetching an image ahead: its first pull goes on, is over, or failed.
 * One that waits for its place for as long as a pull may take counts as failed.
 */
export type Fetched = "pulling" | "over" | "failed";
