/**
 * What controllers see: the stores of informers.
 *
 * @module
 */

import type { ListerWatcher } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import {
  type HandlerRegistration,
  type SharedInformer,
  type SharedInformerFactory,
  WatchedKind,
} from "../../informer/shared/mod.ts";
import { CONTROLLER_KINDS, isOfKind } from "./kinds.ts";
import { controllerOf } from "./owner.ts";
import type { ControllerKind, ControllerKinds, ObjectCache } from "./step.ts";
import type { ObjectMove } from "./woken.ts";

/** Reads the objects of a kind, whoever keeps them. */
export type KindSource = <Kind extends ControllerKind>(
  kind: Kind,
  isOfKind: (object: ApiObject) => object is ControllerKinds[Kind],
) => ListerWatcher<ControllerKinds[Kind]>;

type Informers = {
  readonly [Kind in ControllerKind]: SharedInformer<ControllerKinds[Kind]>;
};

/** By the UID of the controller, or by the namespace of what has none. */
const OWNER_INDEX = "owner";

/** One informer for each kind that controllers work with. */
export class InformerCache implements ObjectCache {
  readonly #informers: Informers;

  constructor(source: KindSource, factory: SharedInformerFactory) {
    const informer = <Kind extends ControllerKind>(kind: Kind) => {
      const ref = { apiVersion: CONTROLLER_KINDS[kind], kind };
      const isKind = (object: ApiObject) => isOfKind(kind, object);
      return factory.informer(
        new WatchedKind(ref, source(kind, isKind), { [OWNER_INDEX]: ownerKey }),
      );
    };
    this.#informers = {
      Pod: informer("Pod"),
      PersistentVolumeClaim: informer("PersistentVolumeClaim"),
      ReplicationController: informer("ReplicationController"),
      ReplicaSet: informer("ReplicaSet"),
      Deployment: informer("Deployment"),
      DaemonSet: informer("DaemonSet"),
      StatefulSet: informer("StatefulSet"),
      ControllerRevision: informer("ControllerRevision"),
      Job: informer("Job"),
      CronJob: informer("CronJob"),
    };
  }

  get<Kind extends ControllerKind>(
    kind: Kind,
    namespace: string,
    name: string,
  ): ControllerKinds[Kind] | undefined {
    return this.#of(kind).lister.get(namespace, name);
  }

  list<Kind extends ControllerKind>(
    kind: Kind,
    namespace: string,
  ): readonly ControllerKinds[Kind][] {
    return this.#of(kind).lister.list({ namespace });
  }

  candidates<Kind extends ControllerKind>(
    kind: Kind,
    { namespace, uid }: { readonly namespace: string; readonly uid: string },
  ): readonly ControllerKinds[Kind][] {
    const { lister } = this.#of(kind);
    return [
      ...lister.byIndex(OWNER_INDEX, uid),
      ...lister.byIndex(OWNER_INDEX, orphansOf(namespace)),
    ];
  }

  version(kind: ControllerKind): string | undefined {
    return this.#of(kind).store.version || undefined;
  }

  /** The informer of a kind, for whoever else wants to be told. */
  informer<Kind extends ControllerKind>(
    kind: Kind,
  ): SharedInformer<ControllerKinds[Kind]> {
    return this.#of(kind);
  }

  /** Has a listener told of every move of every kind, each after the cache shows it. */
  follow(
    name: string,
    listener: (move: ObjectMove) => void,
  ): readonly HandlerRegistration[] {
    const add = <Kind extends ControllerKind>(kind: Kind) =>
      this.#of(kind).addHandler((notice) => {
        const before = notice.kind === "updated"
          ? notice.before
          : notice.kind === "removed"
          ? notice.object
          : undefined;
        const after = notice.kind === "removed" ? undefined : notice.object;
        listener({ before, after });
      }, { name });
    return [
      add("Pod"),
      add("PersistentVolumeClaim"),
      add("ReplicationController"),
      add("ReplicaSet"),
      add("Deployment"),
      add("DaemonSet"),
      add("StatefulSet"),
      add("ControllerRevision"),
      add("Job"),
      add("CronJob"),
    ];
  }

  #of<Kind extends ControllerKind>(
    kind: Kind,
  ): SharedInformer<ControllerKinds[Kind]> {
    return this.#informers[kind];
  }
}

function ownerKey(object: ApiObject): readonly string[] {
  const owner = controllerOf(object);
  return [owner?.uid ?? orphansOf(object.metadata.namespace)];
}

// No UID has a slash.
function orphansOf(namespace: string): string {
  return `orphans/${namespace}`;
}
