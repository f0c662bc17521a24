/**
 * What a setting is: where it is given, what it means, and what the agent may touch for it.
 *
 * @module
 */

import type { Decoder } from "./decoders.ts";

/**
 * One setting; of several places that give it, the flag counts before the file, and both
 * before the default, which is needed where a value is.
 */
export type Setting<T> =
  & Places<T>
  & (undefined extends T ? { readonly fallback?: T }
    : { readonly fallback: T });

interface Places<T> {
  readonly flag?: Flag<T>;
  /**
   * What the help says of the flag; a line feed where it breaks, and `{default}` where the
   * default is to stand.
   */
  readonly help?: string;
  /** Writes a value as the flag takes it, where that is not its plain text. */
  write?(value: T): string;
  /** Field of the SkerryConfiguration; it counts before the kubelet's. */
  readonly skerry?: Field<T>;
  /** Field of the KubeletConfiguration. */
  readonly kubelet?: Field<T>;
  /** How the agent uses the paths that the value names. */
  readonly access?: "read" | "write";
  /** What the value opens of the network. */
  readonly net?: NetUse;
  /** Bounds of a duration. */
  readonly leastMs?: number;
  readonly mostMs?: number;
}

/**
 * What a setting may open of the network, in the order in which it is granted.
 *
 * - `socket`: a unix socket that the agent connects to
 * - `own_socket`: the one that the agent makes
 * - `notify_socket`: the service manager's, to which the agent sends from one of its own
 * - `endpoint`: a unix socket by its path, or a URL, that the agent connects to
 * - `port`: where the agent listens, 0 for nowhere
 * - `url`: the server that the agent asks for manifests
 * - `api_server`: that of the cluster that the agent joins
 * - `networks`: where pods are probed
 * - `addresses`: the node's own, where pods of its network are probed
 */
export const NET_USES = [
  "socket",
  "own_socket",
  "notify_socket",
  "endpoint",
  "port",
  "url",
  "api_server",
  "networks",
  "addresses",
] as const;

/** One of them. */
export type NetUse = typeof NET_USES[number];

/** The rows of one part of the settings. */
export type Rows<Part> = {
  readonly [Key in keyof Part]-?: Setting<Part[Key]>;
};

/** One flag of `skerry run`. */
export interface Flag<T> {
  /** Without its hyphens. */
  readonly name: string;
  /**
   * What stands behind it in the help, such as `PATH`; empty for a switch, which means
   * `true` without a value.
   */
  readonly argument: string;
  readonly decoder: Decoder<T>;
  /** Joins the values of a flag that is given twice; without it the last one counts. */
  more?(before: T, after: T): T;
}

/**
 * What the agent does with a field of the file.
 *
 * - `honoured`: its value takes effect.
 * - `ignored`: it concerns something that the agent does not have; any value
 *   passes and a warning names it.
 * - `fixed`: not honoured yet; only the upstream default passes, so that no
 *   setting silently does nothing.
 */
export type FieldTreatment = "honoured" | "ignored" | "fixed";

/** One leaf of a configuration document. */
export interface Field<T = unknown> {
  /** Dotted path from the document's root. */
  readonly path: string;
  readonly decoder: Decoder<T | "">;
  readonly treatment: FieldTreatment;
  /** The upstream default of one without effect, as a file spells it, if there is any. */
  readonly upstream?: unknown;
  /**
   * Whether an empty value (0, "", false, an empty list or map) counts as not
   * set. So it is with every field that is not a pointer in upstream's type:
   * its writers leave `0s` where they mean the default.
   */
  readonly emptyIsUnset: boolean;
}

/** A flag, by its name and argument as the help shows them. */
export function flag<T>(
  usage: string,
  decoder: Decoder<T>,
): Flag<T> {
  const [name = "", ...argument] = usage.split(" ");
  return { name, argument: argument.join(" "), decoder };
}

/** A flag whose values are lists that add up. */
export function listFlag<T>(
  usage: string,
  decoder: Decoder<readonly T[]>,
): Flag<readonly T[]> {
  return {
    ...flag(usage, decoder),
    more: (before, after) => [...before, ...after],
  };
}

/** A field that takes effect; an empty value counts as not set. */
export function field<T>(
  path: string,
  decoder: Decoder<T | "">,
): Field<T> {
  return { path, decoder, treatment: "honoured", emptyIsUnset: true };
}

/** A field that takes effect, be its value empty: a pointer in upstream's type. */
export function pointer<T>(
  path: string,
  decoder: Decoder<T>,
): Field<T> {
  return { ...field(path, decoder), emptyIsUnset: false };
}

/** What the help says of a setting's flag. */
export function helpOf(setting: Setting<unknown>): string {
  const { help = "", fallback } = setting;
  return help.replace(
    "{default}",
    () => setting.write?.(fallback) ?? String(fallback),
  );
}

/** What a message calls a setting. */
export function optionOf(
  { flag, skerry, kubelet }: Setting<unknown>,
): string {
  return flag === undefined
    ? skerry?.path ?? kubelet?.path ?? ""
    : `--${flag.name}`;
}
