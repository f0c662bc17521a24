/**
 * Which objects a change concerns.
 *
 * @module
 */

import { matchesLabels } from "../../api/access/mod.ts";
import { isOfKind } from "./kinds.ts";
import { controllerOf } from "./owner.ts";
import type {
  ControlledKind,
  Controller,
  ControllerKind,
  ControllerKinds,
  ObjectCache,
} from "./step.ts";

/** An object that came, changed or went. */
export interface ObjectMove {
  readonly before: ControllerKinds[ControllerKind] | undefined;
  readonly after: ControllerKinds[ControllerKind] | undefined;
}

/**
 * The names of the objects of a controller that are to be looked at after a move: the
 * object itself, whoever controls it or did, and who might adopt it now.
 */
export function wokenBy<Kind extends ControlledKind, Seen>(
  controller: Controller<Kind, Seen>,
  { before, after }: ObjectMove,
  cache: ObjectCache,
): ReadonlySet<string> {
  const woken = new Set<string>();
  const moved = [before, after].filter((each) => each !== undefined);
  for (const each of moved) {
    if (each.kind === controller.kind) woken.add(each.metadata.name);
    if (controller.owns.some((kind) => kind === each.kind)) {
      const owner = controllerOf(each);
      if (owner?.kind === controller.kind) woken.add(owner.name);
    }
    for (const name of controller.alsoWakes?.(each, cache) ?? []) {
      woken.add(name);
    }
  }
  for (const name of adopters(controller, after, cache)) woken.add(name);
  return woken;
}

function adopters<Kind extends ControlledKind, Seen>(
  controller: Controller<Kind, Seen>,
  object: ObjectMove["after"],
  cache: ObjectCache,
): readonly string[] {
  const isOrphan = object !== undefined &&
    controller.owns.some((kind) => isOfKind(kind, object)) &&
    controllerOf(object) === undefined;
  if (!isOrphan || controller.selector === undefined) return [];
  const { namespace, labels } = object.metadata;
  return cache.list(controller.kind, namespace)
    .filter((each) => matchesLabels(controller.selector?.(each), labels))
    .map(({ metadata }) => metadata.name);
}
