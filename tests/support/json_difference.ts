/**
 * Where two JSON values differ.
 *
 * @module
 */

/** A leaf that differs. */
export interface Difference {
  /** Such as `RunPodSandbox[0].config.hostname`. */
  readonly path: string;
  readonly wanted: string;
  readonly asked: string;
}

/** Every leaf that differs, and every list that is no list on the other side. */
export function differences(
  wanted: unknown,
  asked: unknown,
  path = "",
): Difference[] {
  const found: Difference[] = [];
  if (isComposite(wanted) && isComposite(asked)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(asked)]);
    for (const key of keys) {
      found.push(
        ...differences(wanted[key], asked[key], step(path, key, wanted)),
      );
    }
    if (Array.isArray(wanted) === Array.isArray(asked)) return found;
  } else if (wanted === asked) {
    return found;
  }
  found.push({
    path,
    wanted: JSON.stringify(wanted) ?? "nothing",
    asked: JSON.stringify(asked) ?? "nothing",
  });
  return found;
}

function step(path: string, key: string, parent: object): string {
  if (Array.isArray(parent)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function isComposite(
  value: unknown,
): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
