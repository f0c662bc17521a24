/**
 * The failures of the file system, in kinds that a caller can handle.
 *
 * @module
 */

/**
 * Why the file system refused.
 *
 * `denied` is the mode bits or a missing permission of the process; `full` and
 * `read_only` are the state of a disk; `too_long` is a name or path beyond what the
 * kernel takes.
 */
export type FileErrorKind =
  | "missing"
  | "exists"
  | "denied"
  | "full"
  | "read_only"
  | "busy"
  | "too_long"
  | "wrong_type"
  | "other";

/** A failure of the file system, with the path that it is about. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly kind: FileErrorKind;
  readonly path: string;

  /** @param action What could not be done, such as `write`. */
  constructor(
    action: string,
    path: string,
    options: { readonly cause: unknown },
  ) {
    const kind = fileErrorKind(options.cause);
    super(`Cannot ${action} "${path}": ${found(kind, options.cause)}`, options);
    this.kind = kind;
    this.path = path;
  }
}

/** Reads the kind from whatever Deno or node:fs threw. */
export function fileErrorKind(error: unknown): FileErrorKind {
  if (error instanceof FileError) return error.kind;
  if (!(error instanceof Error)) return "other";
  const code = "code" in error ? String(error.code) : "";
  // The sandbox of Deno gives its denials no code.
  return KIND_BY_CODE[code] ?? KIND_BY_NAME[error.name] ?? "other";
}

/**
 * Waits for a call about a path that may be missing; `undefined` when it is.
 *
 * @param kinds what else stands for a missing path
 * @throws {unknown} Whatever else the call rejects with.
 */
export async function unlessMissing<T>(
  call: Promise<T>,
  ...kinds: readonly FileErrorKind[]
): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const kind = fileErrorKind(error);
    if (kind === "missing" || kinds.includes(kind)) return undefined;
    throw error;
  }
}

/**
 * Waits for a call about a path.
 *
 * @param action What is done, such as `write`.
 * @throws {FileError} When it fails.
 */
export async function withPath<T>(
  action: string,
  path: string,
  call: Promise<T>,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new FileError(action, path, { cause: error });
  }
}

const KIND_BY_CODE: Readonly<Record<string, FileErrorKind>> = {
  ENOENT: "missing",
  EEXIST: "exists",
  ENOTEMPTY: "exists",
  EACCES: "denied",
  EPERM: "denied",
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read_only",
  EBUSY: "busy",
  ENAMETOOLONG: "too_long",
  ENOTDIR: "wrong_type",
  EISDIR: "wrong_type",
  ELOOP: "wrong_type",
};

const KIND_BY_NAME: Readonly<Record<string, FileErrorKind>> = {
  NotFound: "missing",
  AlreadyExists: "exists",
  PermissionDenied: "denied",
  NotCapable: "denied",
  Busy: "busy",
  NotADirectory: "wrong_type",
  IsADirectory: "wrong_type",
  FilesystemLoop: "wrong_type",
};

const FOUND: Readonly<Record<FileErrorKind, string>> = {
  missing: "it does not exist",
  exists: "it exists already or is not empty",
  denied: "access is denied",
  full: "the disk is full",
  read_only: "the disk is read-only",
  busy: "it is in use, perhaps as a mount point",
  too_long: "its name is too long",
  wrong_type: "it or a directory above it is of another type",
  other: "the system failed",
};

function found(kind: FileErrorKind, cause: unknown): string {
  if (kind !== "other") return FOUND[kind];
  const said = cause instanceof Error ? cause.message : String(cause);
  return `${FOUND.other} (${said})`;
}
