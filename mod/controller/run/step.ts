/**
 * What a controller is made of: what it sees of an object, and what it wishes then.
 *
 * @module
 */

import type {
  AccessRef,
  ApiFailure,
  DeleteOptions,
  NewObject,
} from "../../api/access/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type {
  ApiObject,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  LabelSelector,
  PersistentVolumeClaim,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../api/workload/mod.ts";
import type { WatchedTime } from "./known_times.ts";

/** The kinds that controllers work with, by name. */
export interface ControllerKinds {
  readonly Pod: Pod;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly ReplicationController: ReplicationController;
  readonly ReplicaSet: ReplicaSet;
  readonly Deployment: Deployment;
  readonly DaemonSet: DaemonSet;
  readonly StatefulSet: StatefulSet;
  readonly ControllerRevision: ControllerRevision;
  readonly Job: Job;
  readonly CronJob: CronJob;
}

/** One of those names. */
export type ControllerKind = keyof ControllerKinds;

/** Those that have a controller. */
export type ControlledKind = Exclude<
  ControllerKind,
  "Pod" | "PersistentVolumeClaim" | "ControllerRevision"
>;

/** What is known of objects now; what is given must not be altered. */
export interface ObjectCache {
  get<Kind extends ControllerKind>(
    kind: Kind,
    namespace: string,
    name: string,
  ): ControllerKinds[Kind] | undefined;
  /** All of a kind in a namespace, in any order. */
  list<Kind extends ControllerKind>(
    kind: Kind,
    namespace: string,
  ): readonly ControllerKinds[Kind][];
  /** Those whose controller has that UID, or that have none, in that namespace. */
  candidates<Kind extends ControllerKind>(
    kind: Kind,
    owner: { readonly namespace: string; readonly uid: string },
  ): readonly ControllerKinds[Kind][];
  /** The newest `resourceVersion` that is known of a kind, of objects that are gone as well. */
  version(kind: ControllerKind): string | undefined;
}

/** One object as a change means it: the very one. */
export type ExactRef = AccessRef & { readonly uid: string };

/**
 * What is told about a change: `{name}` stands for the name that the object has got, and
 * `{error}` for what failed.
 */
export interface ChangeWords {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** What is told of a change, as an event of the object whose controller wishes it. */
export interface ChangeEvents {
  readonly done?: ChangeWords;
  readonly failed?: ChangeWords;
}

/** One thing to be done. */
export type Change =
  & { readonly events?: ChangeEvents }
  & (
    | {
      readonly verb: "create";
      readonly object: NewObject;
      /**
       * Whether what is there by that name already is what is wished, made by an earlier
       * look that the cache does not show yet; then it has not failed.
       */
      readonly isSame?: (found: ApiObject) => boolean;
    }
    | {
      readonly verb: "delete";
      readonly ref: ExactRef;
      readonly options?: Omit<DeleteOptions, "uid">;
    }
    | {
      readonly verb: "patch";
      readonly ref: ExactRef;
      /** A JSON merge patch. */
      readonly patch: Readonly<Record<string, unknown>>;
      /**
       * The object whose controller wishes it is read anew first, and must be the same
       * and not be deleted: for adoption, which a stale cache would make wrong.
       */
      readonly isAdoption?: true;
    }
  );

/** A change that did not get through. */
export interface ChangeFailure {
  readonly change: Change;
  readonly failure: ApiFailure;
}

/** What a controller wishes for an object, after what it sees. */
export interface Wishes<Status> {
  /**
   * In the order in which they are done, except that changes of one verb that stand
   * together go out side by side: creations in slow-start batches of 1, 2, 4, …, the rest
   * of which is dropped when one fails, and the others all at once.
   */
  readonly changes: readonly Change[];
  /** What the status should be after that; absent: as it is. */
  readonly status?: (failures: readonly ChangeFailure[]) => Status;
  /** What is to be told whatever becomes of the changes; only as often as it is news. */
  readonly events?: readonly ChangeWords[];
  /** When to look again though nothing has changed, in milliseconds. */
  readonly againAfterMs?: number;
}

/**
 * A controller of one kind. Both functions are pure: they alter nothing, ask no clock,
 * and see only what they are given.
 */
export interface Controller<Kind extends ControlledKind, Seen> {
  readonly kind: Kind;
  /** Who speaks in events: `replicaset-controller`. */
  readonly name: string;
  /** The kinds whose objects matter when they name one of this kind as their controller. */
  readonly owns: readonly ControllerKind[];
  /** Which objects without a controller it would adopt; absent when it adopts none. */
  selector?(object: ControllerKinds[Kind]): LabelSelector | undefined;
  /** Which other objects of its kind are to be looked at, by name, when this one changes. */
  alsoWakes?(
    changed: ControllerKinds[ControllerKind],
    cache: ObjectCache,
  ): readonly string[];
  /** What of the cache matters for the object. */
  gather(object: ControllerKinds[Kind], cache: ObjectCache): Seen;
  /**
   * What is to be done.
   *
   * @param nowMs the wall clock, in milliseconds since the epoch
   * @param watched what this agent has seen of the time as it passed; absent when that is
   * not known
   */
  step(
    seen: Seen,
    nowMs: number,
    watched?: WatchedTime,
  ): Wishes<NonNullable<ControllerKinds[Kind]["status"]>>;
  /** What is to be done for what is left when there is no object of that name. */
  leave?(
    gone: { readonly namespace: string; readonly name: string },
    cache: ObjectCache,
  ): readonly Change[];
}
