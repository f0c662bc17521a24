/**
 * What a hostile manifest is, and builders for the dull parts of one.
 *
 * @module
 */

/** A manifest that must not run, and what a fault of it names. */
export interface HostileManifest {
  /** Says what is wrong; part of the file's name. */
  readonly title: string;
  readonly content: string | Uint8Array;
  /** What the report has to say, so that an operator finds the place. */
  readonly names: RegExp;
  /**
   * How near the report comes: a line of the text, or the whole of it where no line
   * is to blame (an empty file, a binary one, one that is too long).
   */
  readonly place: "line" | "whole";
  /** What the report must not show. */
  readonly hides?: string;
}

/** A part of a manifest. */
export type ManifestPart = Record<string, unknown>;

/** A pod that is sound but for what is given. */
export function hostilePod(
  spec: ManifestPart = {},
  metadata: ManifestPart = {},
): ManifestPart {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "hostile", ...metadata },
    spec: { containers: [main()], ...spec },
  };
}

/** A container that is sound but for what is given. */
export function main(more: ManifestPart = {}): ManifestPart {
  return { name: "main", image: "localhost/busybox:1.35", ...more };
}

/** A pod whose one container has something more. */
export function withContainer(more: ManifestPart): ManifestPart {
  return hostilePod({ containers: [main(more)] });
}

/** Content that is wrong at a line. */
export function wrong(
  title: string,
  content: string | Uint8Array | ManifestPart,
  names: RegExp,
): HostileManifest {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  return {
    title,
    content: isWhole ? content : JSON.stringify(content, null, 1),
    names,
    place: "line",
  };
}

/** Content that is wrong as a whole. */
export function hopeless(
  title: string,
  content: string | Uint8Array,
  names: RegExp,
): HostileManifest {
  return { ...wrong(title, content, names), place: "whole" };
}

/** The beginning of a pod in YAML, up to its `spec:`. */
export const HEAD: string =
  "apiVersion: v1\nkind: Pod\nmetadata:\n  name: hostile\nspec:\n";

/** A whole pod in YAML, to which more fields of the spec can be added. */
export const RUNS: string =
  `${HEAD}  containers:\n  - name: main\n    image: x\n`;
