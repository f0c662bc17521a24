/**
 * Files at paths that containers may write to, so that no link leads the agent astray.
 *
 * A link in the last part of a path is never followed, and what is changed is changed on the
 * open file. Below a root every part is looked at, again and again before it is believed, since
 * Deno has no openat(2); what leads out of the root is refused.
 *
 * @example The parts of a path below a directory
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { pathBelow } from "./mod.ts";
 *
 * deepStrictEqual(pathBelow("/srv", "/srv/a//b"), ["a", "b"]);
 * deepStrictEqual(pathBelow("/srv", "/srv/../etc"), undefined);
 * ```
 *
 * @module
 */

export { realPathOf, useFileBelow } from "./file_below.ts";
export { listEntries } from "./list_entries.ts";
export {
  FileError,
  fileErrorKind,
  unlessMissing,
  withPath,
} from "./file_error.ts";
export {
  createFile,
  hasContent,
  isSameFile,
  modeOf,
  type Ownership,
  type ReadableFile,
  readFully,
  setGroup,
  setOwnership,
} from "./safe_file.ts";
export { partsOf, pathBelow, walkBelow, type Walked } from "./walk_below.ts";
