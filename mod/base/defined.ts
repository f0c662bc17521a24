/**
 * Objects without members that are `undefined`.
 *
 * @module
 */

/** The type of an object in which each member that may be `undefined` may be absent. */
export type Defined<T> =
  & { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & {
    readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<
      T[K],
      undefined
    >;
  };

/** The members that are not `undefined`: what is written of them is what there is. */
export function defined<T extends object>(members: T): Defined<T>;
export function defined(members: object): object {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  );
}
