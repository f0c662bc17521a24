/**
 * The commands that change manifests.
 *
 * @module
 */

import { resolve } from "node:path";
import { dump } from "js-yaml";
import { formatFault } from "../api/fault/mod.ts";
import { decodeManifest } from "../api/read/mod.ts";
import {
  decodeText,
  looksLikeJson,
  MAX_MANIFEST_BYTES,
  type RawValue,
} from "../api/text/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import {
  editsBetween,
  isSameRaw,
  rawAt,
  type RawEdit,
  type RawPath,
  readValues,
} from "./edit/mod.ts";
import type { CliIo } from "./io.ts";
import { findKind, kindWord, prefixedName, templatePath } from "./kinds/mod.ts";
import {
  differenceText,
  type FilePlan,
  type FoundObject,
  lockManifests,
  ManifestChangeError,
  ManifestFolder,
  type ObjectName,
  objectsOf,
  splitDocuments,
  wordsOf,
} from "./manifests/mod.ts";
import type {
  ApplyCommand,
  ChangeCommand,
  DeleteCommand,
  ManifestWish,
  ObjectTarget,
} from "./parse/mod.ts";
import { cleanLine } from "./text/mod.ts";

/** Where manifests are, and who hears what becomes of them. */
export interface FolderContext {
  readonly io: CliIo;
  readonly manifestPath: string;
}

/**
 * Writes what files hold into the folder, or shows what that would change.
 *
 * @returns whether anything differs
 * @throws {ManifestChangeError} When a file is none, or a change cannot be made; files
 * before that one are written then.
 */
export async function applyManifests(
  command: ApplyCommand,
  { io, manifestPath }: FolderContext,
): Promise<boolean> {
  const pieces: AppliedDocument[] = [];
  for (const file of command.files) pieces.push(...await readPieces(file, io));
  let hasChanged = false;
  const isShown = command.kind === "diff" || command.dryRun;
  using _held = await heldUnless(isShown, { io, manifestPath });
  const folder = await ManifestFolder.read(manifestPath);
  for (const piece of pieces) {
    const found = folder.find(piece);
    const isSame = found !== undefined && isSameRaw(found.value, piece.value);
    const plan = isSame ? undefined : planApply(folder, found, piece);
    hasChanged ||= plan !== undefined;
    if (command.kind === "diff") {
      if (plan !== undefined) await io.out(differenceOf(plan));
      continue;
    }
    if (plan !== undefined && !command.dryRun) await folder.carryOut(plan);
    const verb = found === undefined
      ? "created"
      : plan === undefined
      ? "unchanged"
      : "configured";
    await tell(io, `${shownName(piece)} ${verb}`, command);
  }
  return hasChanged;
}

function planApply(
  folder: ManifestFolder,
  found: FoundObject | undefined,
  piece: AppliedDocument,
): FilePlan {
  if (found === undefined) return folder.add(piece, piece.text);
  const { isOwn, values } = found.file;
  if (isOwn && values.length === 1) return folder.rewrite(found, piece.text);
  return folder.edit(found, editsBetween(found.value, piece.value));
}

/** Takes objects out of the folder. @throws {ManifestChangeError} When one is not there */
export async function deleteManifests(
  command: DeleteCommand,
  { io, manifestPath }: FolderContext,
): Promise<void> {
  const wanted: ObjectName[] = [];
  for (const file of command.files) wanted.push(...await readPieces(file, io));
  wanted.push(...command.targets.map((each) => nameOf(each, command)));
  using _held = await heldUnless(command.dryRun, { io, manifestPath });
  const folder = await ManifestFolder.read(manifestPath);
  for (const name of wanted) {
    const plan = folder.remove(required(folder, name));
    if (!command.dryRun) await folder.carryOut(plan);
    const resource = findKind(name.kind);
    const word = resource === undefined
      ? name.kind.toLowerCase()
      : kindWord(resource);
    const from = name.namespace === ""
      ? ""
      : ` from ${name.namespace} namespace`;
    await tell(io, `${word} "${name.name}" deleted${from}`, command);
  }
}

/** Changes manifests in their place. @throws {ManifestChangeError} When that cannot be */
export async function changeManifests(
  command: ChangeCommand,
  context: FolderContext,
): Promise<void> {
  const { wish, targets } = command;
  const { io } = context;
  const now = new Date(io.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  for (const target of targets) {
    const edits = (found: FoundObject): readonly RawEdit[] =>
      editsOf(wish, found, now);
    await editManifest(
      { target, ...command, done: DONE[wish.kind] },
      edits,
      context,
    );
  }
}

const DONE: Readonly<Record<ManifestWish["kind"], string>> = {
  scale: "scaled",
  image: "image updated",
  restart: "restarted",
  pause: "paused",
  resume: "resumed",
};

/** Changes one manifest and says so; without edits neither. */
export async function editManifest(
  asked: {
    readonly target: ObjectTarget;
    readonly namespace: string;
    readonly dryRun: boolean;
    readonly done: string;
  },
  edits: (found: FoundObject) => readonly RawEdit[],
  { io, manifestPath }: FolderContext,
): Promise<void> {
  const name = nameOf(asked.target, asked);
  using _held = await heldUnless(asked.dryRun, { io, manifestPath });
  const folder = await ManifestFolder.read(manifestPath);
  const found = required(folder, name);
  const wanted = edits(found);
  if (wanted.length === 0) return;
  const plan = folder.edit(found, wanted);
  if (plan.before !== plan.after && !asked.dryRun) await folder.carryOut(plan);
  await tell(io, `${shownName(name)} ${asked.done}`, asked);
}

/** Has other commands wait until this one has written what it makes of what it reads. */
function heldUnless(
  isShown: boolean,
  { io, manifestPath }: FolderContext,
): Promise<Disposable | undefined> {
  return isShown
    ? Promise.resolve(undefined)
    : lockManifests(manifestPath, io.clock);
}

function editsOf(
  wish: ManifestWish,
  found: FoundObject,
  now: string,
): readonly RawEdit[] {
  const { value } = found;
  const template = templatePath(found.kind);
  switch (wish.kind) {
    case "scale":
      return [{ path: ["spec", "replicas"], value: wish.replicas }];
    case "image":
      return wish.images.flatMap((image) =>
        imageEdits(found, [...template, "spec"], image)
      );
    case "restart": {
      if (rawAt(value, ["spec", "paused"]) === true) {
        throw new ManifestChangeError(
          `Cannot restart ${
            wordsOf(found)
          }: it is paused (run rollout resume first)`,
        );
      }
      const notes = [...template, "metadata", "annotations"];
      const path = [...notes, "kubectl.kubernetes.io/restartedAt"];
      return [{ path, value: now }];
    }
    case "pause":
    case "resume": {
      const isPaused = rawAt(value, ["spec", "paused"]) === true;
      const isWanted = wish.kind === "pause";
      if (isPaused === isWanted) {
        throw new ManifestChangeError(
          `Cannot ${wish.kind} ${wordsOf(found)}: it is ${
            isWanted ? "already" : "not"
          } paused`,
        );
      }
      return [{ path: ["spec", "paused"], value: isWanted }];
    }
  }
}

function imageEdits(
  found: FoundObject,
  spec: RawPath,
  [container, image]: readonly [string, string],
): readonly RawEdit[] {
  const paths = ["initContainers", "containers"].flatMap((list) => {
    const specs = rawAt(found.value, [...spec, list]);
    if (!Array.isArray(specs)) return [];
    return specs.flatMap((each: RawValue, at): readonly RawPath[] => {
      const name = rawAt(each, ["name"]);
      const isMeant = container === "*" || name === container;
      return isMeant ? [[...spec, list, at, "image"]] : [];
    });
  });
  if (paths.length === 0) {
    throw new ManifestChangeError(
      `Cannot set the image of "${container}": ${
        wordsOf(found)
      } has no container of that name`,
    );
  }
  // As with kubectl, what has the image already is not spoken of.
  return paths.filter((path) => rawAt(found.value, path) !== image)
    .map((path) => ({ path, value: image }));
}

/** A document of a file that is to be applied. */
interface AppliedDocument extends ObjectName {
  readonly value: RawValue;
  readonly text: string;
}

/** Reads the documents of a file, all of them good. */
async function readPieces(
  file: string,
  io: CliIo,
): Promise<readonly AppliedDocument[]> {
  const bytes = await readInput(file, io);
  const decoded = decodeManifest(bytes, { unknownFields: "refuse" });
  const shown = file === "-" ? "standard input" : file;
  if (decoded.kind === "refused") {
    const faults = decoded.faults.map(formatFault).map(cleanLine).join("\n  ");
    throw new ManifestChangeError(`Cannot use "${shown}":\n  ${faults}`);
  }
  const read = decodeText(bytes);
  if (read.kind !== "ok") {
    throw new ManifestChangeError(`Cannot use "${shown}": it is no text`);
  }
  const documents = readValues(read.text);
  const values = documents.kind === "ok" ? documents.values : [];
  const texts = looksLikeJson(read.text)
    ? values.map((value) => dump(value, { lineWidth: -1 }))
    : splitDocuments(read.text);
  return texts.flatMap((text) => {
    const one = readValues(text);
    const objects = one.kind === "ok" ? objectsOf(one.values) : [];
    if (objects.some(({ path }) => path.length > 0)) {
      throw new ManifestChangeError(
        `Cannot use "${shown}": found a list, wanted its items as documents`,
      );
    }
    const ended = text.endsWith("\n") ? text : `${text}\n`;
    return objects.map((object) => ({ ...object, text: ended }));
  });
}

async function readInput(file: string, io: CliIo): Promise<Uint8Array> {
  if (file === "-") return await io.readStdin(MAX_MANIFEST_BYTES);
  const path = file.startsWith("/") ? file : resolve(io.cwd(), file);
  const read = await readFileBounded(path, MAX_MANIFEST_BYTES);
  if (read.kind === "read") return read.bytes;
  throw new ManifestChangeError(
    `Cannot read "${file}": found ${
      read.kind === "missing" ? "nothing" : "something else"
    }, wanted a file of at most ${MAX_MANIFEST_BYTES} bytes`,
  );
}

function required(folder: ManifestFolder, name: ObjectName): FoundObject {
  const found = folder.find(name);
  if (found !== undefined) return found;
  throw new ManifestChangeError(
    `Cannot find ${wordsOf(name)}: no manifest in "${folder.path}" has it`,
  );
}

function nameOf(
  { resource, name = "" }: ObjectTarget,
  place: { readonly namespace: string },
): ObjectName {
  const namespace = resource.isNamespaced ? place.namespace : "";
  return { kind: resource.kind, namespace, name };
}

function shownName({ kind, name }: ObjectName): string {
  const resource = findKind(kind);
  return resource === undefined ? name : prefixedName(resource, name);
}

async function tell(
  io: CliIo,
  line: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<void> {
  await io.out(`${cleanLine(line)}${dryRun ? " (dry run)" : ""}\n`);
}

function differenceOf({ path, before, after = "" }: FilePlan): string {
  return differenceText(path, before, after)
    .split("\n").map(cleanLine).join("\n");
}
