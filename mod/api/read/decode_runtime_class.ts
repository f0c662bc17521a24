/**
 * Reads RuntimeClasses, by the rules of upstream's ValidateRuntimeClass.
 *
 * @module
 */

import {
  labelProblem,
  requireShape,
  validateOverhead,
  validateScheduling,
} from "../validate/mod.ts";
import { type ObjectReading, readRef } from "./object_reading.ts";
import {
  parseQuantity,
  type Quantity,
  type RuntimeClassObject,
} from "../objects/mod.ts";
import { readTyped } from "./schema.ts";
import type { RawObject } from "../text/mod.ts";
import type { ObjectMeta, PodSpec } from "../types/mod.ts";

/**
 * Reads and checks a RuntimeClass.
 *
 * Its tolerations are checked and then left out: a node by itself has no taints.
 */
export function readRuntimeClass(
  value: RawObject,
  { at, settle }: ObjectReading,
): RuntimeClassObject {
  // The schema has checked every field; what was wrong is missing and reported.
  const typed = readTyped(value, "RuntimeClass", at) as {
    readonly metadata?: ObjectMeta;
    readonly handler?: string;
    readonly overhead?: { readonly podFixed?: PodSpec["overhead"] };
    readonly scheduling?: Pick<PodSpec, "nodeSelector" | "tolerations">;
  };
  settle();
  const { metadata = {}, handler = "", overhead, scheduling = {} } = typed;
  const { name } = readRef(metadata, at);
  if (metadata.namespace) {
    at.child("metadata").child("namespace").forbidden(
      "not allowed on this type",
    );
  }
  requireShape(handler, labelProblem, at.child("handler"));
  const { podFixed = {} } = overhead ?? {};
  validateOverhead(podFixed, at.child("overhead").child("podFixed"));
  // The rules for a pod's own selector and tolerations, in fields of the same names.
  validateScheduling({ containers: [], ...scheduling }, at.child("scheduling"));
  return {
    kind: "RuntimeClass",
    name,
    handler,
    overhead: new Map(
      Object.entries(podFixed).map((
        [resource, amount],
      ): [string, Quantity] => [resource, parseQuantity(amount)]),
    ),
    nodeSelector: scheduling.nodeSelector ?? {},
  };
}
