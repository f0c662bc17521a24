/**
 * What a flag of the kubelet is.
 *
 * @module
 */

/**
 * How the text behind a flag is read.
 *
 * - `text`, `number`: as it is
 * - `switch`: true without a value; a value stands behind "="
 * - `list`: what stands between commas; several flags add up
 * - `map`: `key=value` between commas; several flags add up
 * - `limits`: `signal<amount` between commas, as texts
 * - `switches`: a map of switches
 * - `headers`: `Key:value` between commas
 * - `taints`: `key=value:effect` between commas
 * - `reserved`: memory of NUMA nodes, which is not honoured anyway
 */
export type FlagForm =
  | "text"
  | "number"
  | "switch"
  | "list"
  | "map"
  | "limits"
  | "switches"
  | "headers"
  | "taints"
  | "reserved";

/** What becomes of a flag. */
export type FlagMeaning =
  /** It is this field of a KubeletConfiguration. */
  | { readonly kind: "field"; readonly path: string }
  /** It is this flag of `skerry run`. */
  | { readonly kind: "setting"; readonly name: string }
  /** It is taken, and has no effect. */
  | { readonly kind: "inert"; readonly why: string }
  /** It is done at once, or says where settings are. */
  | { readonly kind: "own"; readonly does: string };

/** One flag of the kubelet. */
export interface KubeletFlag {
  /** Without its hyphens. */
  readonly name: string;
  readonly form: FlagForm;
  readonly meaning: FlagMeaning;
}
