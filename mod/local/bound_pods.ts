/**
 * The node that pods are bound to.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import type { ObjectState } from "./object_state.ts";
import type { KeptObject } from "./object_table.ts";
import { type AnyObject, ownersOf } from "./parts.ts";

/**
 * Binds the pods of a node that had another name to what it is called now: they are its
 * own all the same. One whose template names a node stays as it is.
 */
export function bindPods(state: ObjectState, nodeName: string): void {
  for (const { object, origin } of [...state.table.ofKind("Pod")]) {
    const { spec } = object;
    const isBound = !isRecord(spec) || spec["nodeName"] === undefined ||
      spec["nodeName"] === nodeName;
    if (isBound || namesNode(ownerOf(state, object))) continue;
    state.put({ ...object, spec: { ...spec, nodeName } }, origin);
  }
}

function ownerOf(
  state: ObjectState,
  object: AnyObject,
): KeptObject | undefined {
  const [owner] = ownersOf(object).filter(({ controller }) => controller);
  return owner && state.table.byUid(owner.uid);
}

/** Whether the pods of an owner are to be on a certain node, or may be: it is not there. */
function namesNode(owner: KeptObject | undefined): boolean {
  const template = partOf(owner?.object.spec, "template");
  const spec = partOf(template, "spec");
  return spec === undefined || partOf(spec, "nodeName") !== undefined;
}

function partOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}
