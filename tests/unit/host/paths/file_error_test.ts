/**
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  FileError,
  type FileErrorKind,
  fileErrorKind,
} from "../../../../mod/host/paths/file_error.ts";

function withCode(code: string): Error {
  return Object.assign(new Error(`${code}: said the system`), { code });
}

const ROWS: readonly (readonly [string, unknown, FileErrorKind])[] = [
  ["a full disk", withCode("ENOSPC"), "full"],
  ["a used-up quota", withCode("EDQUOT"), "full"],
  ["a read-only disk", withCode("EROFS"), "read_only"],
  ["a mount point", withCode("EBUSY"), "busy"],
  ["a denial by mode", withCode("EACCES"), "denied"],
  ["a denial by the sandbox", new Deno.errors.NotCapable("no"), "denied"],
  ["a missing file", new Deno.errors.NotFound("no"), "missing"],
  ["a loop of links", new Deno.errors.FilesystemLoop("no"), "wrong_type"],
  ["a broken disk", withCode("EIO"), "other"],
  ["something that is no error", "EIO", "other"],
];
for (const [what, cause, kind] of ROWS) {
  Deno.test(`fileErrorKind() calls ${what} "${kind}"`, () => {
    strictEqual(fileErrorKind(cause), kind);
    const error = new FileError("write", "/x", { cause });
    strictEqual(error.kind, kind);
    strictEqual(fileErrorKind(error), kind);
  });
}

Deno.test("FileError says what could not be done, with what, and why", () => {
  const known = new FileError("write", "/x", { cause: withCode("ENOSPC") });
  strictEqual(known.message, 'Cannot write "/x": the disk is full');
  const other = new FileError("read", "/x", { cause: new Error("EIO") });
  strictEqual(other.message, 'Cannot read "/x": the system failed (EIO)');
});
