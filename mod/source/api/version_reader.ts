/**
 * Objects of an API server as pods have them.
 *
 * @module
 */

import type { LocalObject } from "../../api/objects/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";

/** Reads each version of an object once; what cannot be read leaves what there was. */
export class VersionReader {
  readonly #readOne: (object: ApiObject) => LocalObject | undefined;
  #known = new Map<
    string,
    { readonly object: ApiObject; readonly value: LocalObject | undefined }
  >();

  /** @param readOne the object as pods have it; absent for what is none */
  constructor(readOne: (object: ApiObject) => LocalObject | undefined) {
    this.#readOne = readOne;
  }

  /** Those of a whole list that pods may have. */
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

/** Whether it is a Service without an address, of which no container is told. */
function isUntold(object: LocalObject): boolean {
  return object.kind === "Service" && object.address === undefined;
}
