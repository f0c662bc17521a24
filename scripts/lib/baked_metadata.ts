/**
 * What `deno compile` has put into an executable.
 *
 * @module
 */

import { isRecord } from "../../mod/base/mod.ts";

/** What an executable was told about permissions and the engine. */
export interface BakedMetadata {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly v8Flags: readonly string[];
  /** What of Deno's unstable features is on, as flags. */
  readonly features: readonly string[];
  /** Whether it keeps code that V8 has compiled in a file of the temp directory. */
  readonly hasCodeCache: boolean;
  /** The sizes of the files that are embedded beside each other, by name. */
  readonly files: ReadonlyMap<string, number>;
}

const NOTE_SECTION = ".note.sui";

/**
 * Reads back what was baked into an ELF executable.
 *
 * @throws {Error} When the file is no executable made by `deno compile`.
 */
export async function readBakedMetadata(path: string): Promise<BakedMetadata> {
  using file = await Deno.open(path);
  const note = new TextDecoder().decode(await readSection(file, NOTE_SECTION));
  const start = note.indexOf('{"argv":');
  const text = start < 0 ? undefined : firstJson(note.slice(start));
  const body: unknown = text === undefined ? undefined : JSON.parse(text);
  if (
    typeof body !== "object" || body === null || !("permissions" in body) ||
    typeof body.permissions !== "object" || body.permissions === null ||
    !("v8_flags" in body) || !Array.isArray(body.v8_flags)
  ) {
    throw new Error(`Cannot read the metadata of "${path}": found none`);
  }
  return {
    permissions: { ...body.permissions },
    v8Flags: body.v8_flags.map(String),
    features: featuresOf("unstable_config" in body && body.unstable_config),
    // A format that does not say so is not trusted.
    hasCodeCache: !("code_cache_key" in body) || body.code_cache_key !== null,
    files: embeddedFiles(note.slice(start + (text?.length ?? 0))),
  };
}

function featuresOf(config: unknown): string[] {
  return isRecord(config) && Array.isArray(config["features"])
    ? config["features"].map((name) => `--unstable-${name}`)
    : [];
}

/**
 * The files of the list behind the metadata, such as
 * `[{"File":{"n":"main.js","o":[0,34880],"u":true,"t":0}}]`: `o` is offset and size.
 */
function embeddedFiles(note: string): ReadonlyMap<string, number> {
  const start = note.indexOf('[{"File":{');
  const text = start < 0 ? undefined : firstJson(note.slice(start));
  const list: unknown = text === undefined ? [] : JSON.parse(text);
  const files = new Map<string, number>();
  for (const entry of Array.isArray(list) ? list : []) {
    const file: unknown = isRecord(entry) ? entry["File"] : undefined;
    if (!isRecord(file) || !Array.isArray(file["o"])) continue;
    const [name, size]: unknown[] = [file["n"], file["o"][1]];
    if (typeof name === "string" && typeof size === "number") {
      files.set(name, size);
    }
  }
  return files;
}

/** Reads one section of a 64-bit little-endian ELF file by its name. */
async function readSection(
  file: Deno.FsFile,
  name: string,
): Promise<Uint8Array> {
  const header = view(await readAt(file, 0, 64));
  const isElf = header.getUint32(0) === 0x7f45_4c46;
  if (!isElf) throw new Error("Cannot read the executable: found no ELF file");
  const tableAt = Number(header.getBigUint64(40, true));
  const entrySize = header.getUint16(58, true);
  const count = header.getUint16(60, true);
  const namesIndex = header.getUint16(62, true);
  const table = await readAt(file, tableAt, entrySize * count);
  const section = (index: number) => {
    const entry = view(table.subarray(index * entrySize));
    const offset = Number(entry.getBigUint64(24, true));
    const size = Number(entry.getBigUint64(32, true));
    return { nameAt: entry.getUint32(0, true), offset, size };
  };
  const { offset, size } = section(namesIndex);
  const names = new TextDecoder().decode(await readAt(file, offset, size));
  for (let index = 0; index < count; index++) {
    const each = section(index);
    const end = names.indexOf("\0", each.nameAt);
    if (names.slice(each.nameAt, end) === name) {
      return await readAt(file, each.offset, each.size);
    }
  }
  throw new Error(`Cannot read the executable: found no section ${name}`);
}

async function readAt(
  file: Deno.FsFile,
  offset: number,
  size: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  await file.seek(offset, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < size) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) {
      throw new Error("Cannot read the executable: too short");
    }
    filled += count;
  }
  return bytes;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The JSON object or list with which a text starts; the rest may be anything. */
function firstJson(text: string): string | undefined {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inString) {
      if (letter === "\\") at++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) {
      return text.slice(0, at + 1);
    }
  }
  return undefined;
}
