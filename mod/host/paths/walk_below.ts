/**
 * Finding what lies below a directory in which containers may exchange things at
 * any moment.
 *
 * @module
 */

import { fileErrorKind, unlessMissing } from "./file_error.ts";
import { isSameFile, setOwnership } from "./safe_file.ts";

/** How {@linkcode walkBelow} takes what it meets. */
export interface WalkOptions {
  /** The mode of directories made for what is missing; absent, nothing is made. */
  readonly createMode?: number | undefined;
  /** Whether a link that stays below the root is followed. */
  readonly links: "inside" | "none";
  /** A path of hundreds of parts takes minutes. */
  readonly signal?: AbortSignal | undefined;
}

/** Where a walk ended, or what it found on its way (to stand behind a colon). */
export type Walked =
  | {
    readonly kind: "ok";
    /** Below the root, without a link in it. */
    readonly path: string;
    readonly info: Deno.FileInfo;
  }
  | {
    readonly kind: "refused";
    /** `escape` is a way out of the root, `missing` what could not be made. */
    readonly reason: "escape" | "missing" | "unfit";
    readonly found: string;
  };

// As the kernel counts (MAXSYMLINKS).
const MAX_LINKS = 40;

// Deno has no openat(2): each look starts at the root again. A program that exchanges
// a directory for a link between two looks shows the agent the wrong file. At best
// every second look is deceived, so as good as never all of these looks are.
const CONFIRMATIONS = 24;

/**
 * Follows `parts` below `root`, part by part: a link is read and never given to the
 * kernel to follow, `..` in one goes up as far as the root, and a way out is
 * refused even if it would come back.
 *
 * The whole way is looked at several times before it is believed, so an exchange of parts
 * of it meanwhile is refused. An exchange afterwards is not noticed here.
 *
 * @param root Absolute, without links, and out of the containers' reach.
 * @throws {Error} When the system fails in a way that says nothing of the path.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function walkBelow(
  root: string,
  parts: readonly string[],
  options: WalkOptions,
): Promise<Walked> {
  const todo = parts.toReversed();
  const walk: Walk = {
    root,
    options,
    trail: [{ path: root, info: await Deno.lstat(root) }],
    todo,
    links: 0,
    ownParts: todo.length,
  };
  try {
    for (
      let part = walk.todo.pop();
      part !== undefined;
      part = walk.todo.pop()
    ) {
      const refused = await step(walk, part);
      if (refused !== undefined) return refused;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    return unfit(error);
  }
  const at = last(walk);
  if (await isSteady(walk)) return { kind: "ok", ...at };
  return changes(at.path);
}

interface VisitedPath {
  readonly path: string;
  readonly info: Deno.FileInfo;
}

interface Walk {
  readonly root: string;
  readonly options: WalkOptions;
  /** From the root to where the walk is, every one looked at and none a link. */
  trail: VisitedPath[];
  /** What is left to follow, the next part last. */
  readonly todo: string[];
  links: number;
  /** How many of the parts that are left were asked for, rather than named by a link. */
  ownParts: number;
}

type RefusedWalk = Extract<Walked, { readonly kind: "refused" }>;

async function step(
  walk: Walk,
  part: string,
): Promise<RefusedWalk | undefined> {
  const isOwn = walk.todo.length < walk.ownParts;
  walk.ownParts = Math.min(walk.ownParts, walk.todo.length);
  if (part === "" || part === ".") return undefined;
  if (part === "..") {
    if (walk.trail.length === 1) return leaves(walk.root);
    walk.trail.pop();
    return undefined;
  }
  const parent = last(walk);
  if (!parent.info.isDirectory) {
    return refuse("unfit", `"${parent.path}" is not a directory`);
  }
  const path = `${parent.path}/${part}`;
  const { createMode } = walk.options;
  let info = await look(path);
  // A link to nowhere stays one, as upstream: its target was not asked for.
  if (info === undefined && isOwn && createMode !== undefined) {
    if (!await isSteady(walk)) return changes(parent.path);
    info = await make(path, createMode, walk.trail);
    if (info === undefined) return changes(path);
  }
  if (info === undefined) return refuse("missing", `"${path}" is not there`);
  if (info.isSymlink) return await follow(walk, path);
  walk.trail.push({ path, info });
  return undefined;
}

async function follow(
  walk: Walk,
  path: string,
): Promise<RefusedWalk | undefined> {
  if (walk.options.links === "none") {
    return refuse("escape", `"${path}" has become a link`);
  }
  walk.links++;
  if (walk.links > MAX_LINKS) {
    return refuse("unfit", `more than ${MAX_LINKS} links are on its way`);
  }
  // It was a link a moment ago (EINVAL has no kind of its own).
  const target = await Deno.readLink(path).catch(() => undefined);
  if (target === undefined) return changes(path);
  if (!target.startsWith("/")) {
    walk.todo.push(...target.split("/").toReversed());
    return undefined;
  }
  // Read as a path of the node, as the kubelet's EvalSymlinks does.
  const rest = pathBelow(walk.root, target);
  if (rest === undefined) return leaves(walk.root);
  walk.trail = walk.trail.slice(0, 1);
  walk.todo.push(...rest.toReversed());
  return undefined;
}

function look(path: string): Promise<Deno.FileInfo | undefined> {
  return unlessMissing(Deno.lstat(path));
}

async function make(
  path: string,
  mode: number,
  trail: readonly VisitedPath[],
): Promise<Deno.FileInfo | undefined> {
  const made = makeAtOnce(path, mode, trail);
  const info = made === "changed" ? undefined : await look(path);
  if (made === "made" && info?.isDirectory) {
    await setOwnership(path, { mode }, { seen: info });
  }
  return info;
}

// Deno has no mkdirat(2). Without a turn of the event loop between the last look and
// the call, an exchange has microseconds to come between them.
function makeAtOnce(
  path: string,
  mode: number,
  trail: readonly VisitedPath[],
): "made" | "found" | "changed" {
  const isStill = ({ path, info }: VisitedPath): boolean => {
    const now = Deno.lstatSync(path);
    return !now.isSymlink && isSameFile(now, info);
  };
  try {
    if (!trail.every(isStill)) return "changed";
    // mkdir(2) follows no link in the last part.
    Deno.mkdirSync(path, { mode });
    return "made";
  } catch (error) {
    // Another was quicker; what it made is looked at like anything else.
    if (fileErrorKind(error) === "exists") return "found";
    throw error;
  }
}

async function isSteady({ trail, options }: Walk): Promise<boolean> {
  for (let round = 0; round < CONFIRMATIONS; round++) {
    options.signal?.throwIfAborted();
    for (const { path, info } of trail) {
      // Whatever fails, the path is not what it was a moment ago.
      const now = await Deno.lstat(path).catch(() => undefined);
      if (now === undefined || now.isSymlink) return false;
      if (!isSameFile(now, info)) return false;
    }
  }
  return true;
}

/**
 * The parts of an absolute path below a directory; `undefined` when it lies
 * elsewhere as it is written. Both are without `..`.
 */
export function pathBelow(
  directory: string,
  path: string,
): readonly string[] | undefined {
  const top = partsOf(directory);
  const parts = partsOf(path);
  if (parts.includes("..")) return undefined;
  return top.every((part, at) => parts[at] === part)
    ? parts.slice(top.length)
    : undefined;
}

/** The parts of a path that say something. */
export function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function last(walk: Walk): VisitedPath {
  const at = walk.trail.at(-1);
  if (at === undefined) throw new Error("Cannot walk: the trail is empty");
  return at;
}

function leaves(root: string): RefusedWalk {
  return refuse("escape", `a link on its way leads out of "${root}"`);
}

function changes(path: string): RefusedWalk {
  return refuse("escape", `"${path}" changes while it is looked at`);
}

function unfit(error: unknown): RefusedWalk {
  switch (fileErrorKind(error)) {
    case "denied":
      return refuse("unfit", "the agent may not look at all of its way");
    case "missing":
    case "wrong_type":
      return refuse("escape", "it changes while it is looked at");
    case "too_long":
      return refuse("unfit", "it is too long");
    default:
      throw error;
  }
}

function refuse(reason: RefusedWalk["reason"], found: string): RefusedWalk {
  return { kind: "refused", reason, found };
}
