/**
 * What the path of the manifests is.
 *
 * @module
 */

/**
 * What the path is.
 *
 * ```text
 * unknown ──▶ absent ──▶ directory ◀──▶ unreachable
 *    │           └─────▶ file ◀───────────┘
 *    └─▶ any other
 * ```
 * `absent` holds no pods; `unreachable` those of before, or of an agent before.
 */
export type PathState =
  | { readonly kind: "unknown"; readonly message?: string }
  | { readonly kind: "absent" }
  | { readonly kind: "directory" }
  | {
    readonly kind: "file";
    /** Since when it is missing, while its successor may be on the way. */
    readonly missingSinceMs?: number;
  }
  | {
    readonly kind: "unreachable";
    readonly message: string;
    readonly was: "directory" | "file";
  };

/**
 * The pathState when the path cannot be read.
 *
 * @param isRestored whether what manifests gave an agent before is held
 */
export function afterFailedRead(
  pathState: PathState,
  message: string,
  isRestored: boolean,
): PathState {
  switch (pathState.kind) {
    // Nothing was ever seen, so nothing can be said to be wanted or not.
    case "unknown":
      return isRestored
        ? { kind: "unreachable", message, was: "directory" }
        : { kind: "unknown", message };
    case "absent":
      return { kind: "unreachable", message, was: "directory" };
    case "directory":
    case "file":
      return { kind: "unreachable", message, was: pathState.kind };
    case "unreachable":
      return { ...pathState, message };
  }
}

/** Whether the path is, or was, a single manifest. */
export function isFile(pathState: PathState): boolean {
  return pathState.kind === "file" ||
    (pathState.kind === "unreachable" && pathState.was === "file");
}
