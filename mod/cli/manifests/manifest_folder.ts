/**
 * The folder of manifests, read and written by commands.
 *
 * @module
 */

import { dirname } from "node:path";
import { dump } from "js-yaml";
import {
  decodeText,
  MAX_MANIFEST_BYTES,
  type RawValue,
} from "../../api/text/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { readFileBounded, writeFileAtomic } from "../../host/files/mod.ts";
import { FileError } from "../../host/paths/mod.ts";
import { isManifestName } from "../../source/file/mod.ts";
import { editText, type RawEdit, readValues, withEdit } from "../edit/mod.ts";
import {
  type ObjectName,
  type ObjectPlace,
  objectsOf,
  OWN_HEADER,
  withoutDocument,
} from "./manifest_text.ts";

/** A change of manifests that cannot be made. */
export class ManifestChangeError extends Error {
  override readonly name = "ManifestChangeError";
}

/** One manifest that can be read. */
export interface ManifestFile {
  readonly path: string;
  readonly text: string;
  readonly values: readonly RawValue[];
  /** Whether commands have written it, so that they may write all of it again. */
  readonly isOwn: boolean;
  /** Writing would put a file in the place of the link. */
  readonly isLink: boolean;
  readonly mode: number;
}

/** An object and the manifest in which it stands. */
export interface FoundObject extends ObjectPlace {
  readonly file: ManifestFile;
}

/** What becomes of one file. */
export interface FilePlan {
  readonly path: string;
  /** Empty of a new file. */
  readonly before: string;
  /** `undefined` when the file goes. */
  readonly after: string | undefined;
  readonly mode: number;
}

// As what an administrator writes with an editor.
const NEW_MODE = 0o644;

/** The manifests of a directory, or the only one, as they were read or written here. */
export class ManifestFolder {
  readonly path: string;
  readonly #files = new Map<string, ManifestFile>();
  /** The paths of all that is in the directory; absent for a manifest alone. */
  readonly #paths: Set<string> | undefined;

  private constructor(path: string, paths?: Set<string>) {
    this.path = path;
    this.#paths = paths;
  }

  /** Reads all manifests; those that cannot be read have no objects. */
  static async read(path: string): Promise<ManifestFolder> {
    const { isDirectory } = await Deno.stat(path);
    if (!isDirectory) {
      const folder = new ManifestFolder(path);
      await folder.#look(path);
      return folder;
    }
    const paths = new Set<string>();
    const wanted: string[] = [];
    for await (const entry of Deno.readDir(path)) {
      const each = `${path}/${entry.name}`;
      paths.add(each);
      const isWanted = isManifestName(entry.name, { everyFile: false });
      if (isWanted && !entry.isDirectory) wanted.push(each);
    }
    const folder = new ManifestFolder(path, paths);
    for (const each of wanted.sort()) await folder.#look(each);
    return folder;
  }

  async #look(path: string): Promise<void> {
    const file = await readManifest(path);
    if (file === undefined) this.#files.delete(path);
    else this.#files.set(path, file);
  }

  /**
   * Carries out a plan: whoever reads sees the old or the new file.
   *
   * @throws {ManifestChangeError} When the file is not what was planned upon any more.
   */
  async carryOut(plan: FilePlan): Promise<void> {
    await carryOutPlan(plan);
    if (plan.after === undefined) this.#paths?.delete(plan.path);
    else this.#paths?.add(plan.path);
    await this.#look(plan.path);
  }

  /**
   * Finds an object.
   *
   * @returns `undefined` when no manifest has it
   * @throws {ManifestChangeError} When several have it.
   */
  find(wanted: ObjectName): FoundObject | undefined {
    const found = [...this.#files.values()].flatMap((file) =>
      objectsOf(file.values).filter((each) =>
        each.kind === wanted.kind && each.name === wanted.name &&
        each.namespace === wanted.namespace
      ).map((each): FoundObject => ({ ...each, file }))
    );
    if (found.length < 2) return found[0];
    throw new ManifestChangeError(
      `Cannot tell which ${wordsOf(wanted)} is meant: found it in ${
        found.map(({ file }) => `"${file.path}"`).join(" and ")
      }, wanted it once`,
    );
  }

  /**
   * Plans changes of an object. A file of another's hand keeps all else as it is.
   *
   * @throws {ManifestChangeError} When that cannot be.
   */
  edit(found: FoundObject, edits: readonly RawEdit[]): FilePlan {
    const { file, index, path } = found;
    refuseLink(file);
    const placed = edits.map(({ path: inner, value }) => ({
      path: [...path, ...inner],
      value,
    }));
    const result = editText(file.text, index, placed);
    if (result.kind === "ok") return planned(file, result.text);
    if (!file.isOwn) {
      throw new ManifestChangeError(
        `Cannot change ${
          wordsOf(found)
        } in "${file.path}", which somebody else wrote: ${result.why}`,
      );
    }
    const values = file.values.map((value, at) =>
      at === index ? placed.reduce<RawValue>(withEdit, value) : value
    );
    return planned(file, ownText(values));
  }

  /** Plans all of an own file anew. */
  rewrite(found: FoundObject, piece: string): FilePlan {
    refuseLink(found.file);
    return planned(found.file, `${OWN_HEADER}${piece}`);
  }

  /** Plans a new file. @throws {ManifestChangeError} When it cannot have its name */
  add(object: ObjectName, piece: string): FilePlan {
    const name = [object.kind, object.namespace, object.name]
      .filter((each) => each !== "").join("-").toLowerCase() + ".yaml";
    if (this.#paths === undefined) {
      throw new ManifestChangeError(
        `Cannot add ${
          wordsOf(object)
        }: "${this.path}" is one manifest, wanted a directory`,
      );
    }
    const path = `${this.path}/${name}`;
    // Also what cannot be read: somebody may be at work on it.
    if (this.#paths.has(path)) {
      throw new ManifestChangeError(
        `Cannot add ${
          wordsOf(object)
        }: "${path}" is there and holds something else`,
      );
    }
    const after = `${OWN_HEADER}${piece}`;
    return { path, before: "", after, mode: NEW_MODE };
  }

  /** Plans that an object goes. @throws {ManifestChangeError} When it cannot be cut out */
  remove(found: FoundObject): FilePlan {
    const { file, index, path } = found;
    if (path.length > 0) {
      throw new ManifestChangeError(
        `Cannot delete ${
          wordsOf(found)
        }: it is an item of a list in "${file.path}"; take it out there`,
      );
    }
    if (file.values.length === 1) return planned(file, undefined);
    refuseLink(file);
    const text = withoutDocument(file.text, index);
    if (text !== undefined) return planned(file, text);
    throw new ManifestChangeError(
      `Cannot delete ${
        wordsOf(found)
      }: it cannot be cut out of "${file.path}"; take it out there`,
    );
  }
}

async function carryOutPlan(
  { path, before, after, mode }: FilePlan,
): Promise<void> {
  const read = await readFileBounded(path, MAX_MANIFEST_BYTES);
  const decoded = read.kind === "read" ? decodeText(read.bytes) : undefined;
  const text = decoded?.kind === "ok" ? decoded.text : undefined;
  const isMissing = read.kind === "missing" && before === "";
  if (!isMissing && text !== before) {
    throw new ManifestChangeError(
      `Cannot write "${path}": it has changed since it was read`,
    );
  }
  try {
    if (after === undefined) return await Deno.remove(path);
    await writeFileAtomic(path, new TextEncoder().encode(after), { mode });
  } catch (error) {
    const why = error instanceof FileError ? error.cause : error;
    if (!(why instanceof Deno.errors.NotCapable)) throw error;
    throw new ManifestChangeError(
      `Cannot write "${path}": this program may not; an executable may that was compiled with "--edit-manifests" and this "--pod-manifest-path"`,
      { cause: error },
    );
  }
}

/** An object as messages have it. */
export function wordsOf({ kind, namespace, name }: ObjectName): string {
  return `${kind} "${namespace === "" ? name : `${namespace}/${name}`}"`;
}

function planned(
  { path, text: before, mode }: ManifestFile,
  after: string | undefined,
): FilePlan {
  return { path, before, after, mode };
}

function ownText(values: readonly RawValue[]): string {
  const texts = values.map((value) => dump(value, { lineWidth: -1 }));
  return `${OWN_HEADER}${texts.join("---\n")}`;
}

function refuseLink({ path, isLink }: ManifestFile): void {
  if (!isLink) return;
  throw new ManifestChangeError(
    `Cannot write "${path}": it is a link, and the file behind it is another's`,
  );
}

/** What cannot be read is nothing that a command could change. */
async function readManifest(path: string): Promise<ManifestFile | undefined> {
  try {
    const { isSymlink: isLink, mode } = await Deno.lstat(path);
    const read = await readFileBounded(path, MAX_MANIFEST_BYTES);
    if (read.kind !== "read") return undefined;
    const decoded = decodeText(read.bytes);
    if (decoded.kind !== "ok") return undefined;
    const { text } = decoded;
    const documents = readValues(text);
    if (documents.kind !== "ok") return undefined;
    return {
      path,
      text,
      values: documents.values,
      isOwn: text.startsWith(OWN_HEADER),
      isLink,
      mode: (mode ?? NEW_MODE) & 0o777,
    };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new ManifestChangeError(
      `Cannot read "${path}" in "${dirname(path)}": ${describeError(error)}`,
      { cause: error },
    );
  }
}
