/**
 * Fails when an import goes where the plan of the house does not allow it.
 *
 * A room is a folder of `mod/`, or a folder in one (a sub-room). A room imports from
 * floors below its own only, and through the other room's door (`mod.ts`); type imports
 * count. Sub-rooms of one room import each other through their doors, too. No two files
 * import each other, not even by a detour. Tests use doors, except the unit tests of the
 * room itself and their rigs in `tests/support/ROOM/`. A library is imported only where
 * the table below says so.
 *
 * Run: `deno run --allow-run=deno --allow-read scripts/check_layers.ts`
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line report

import { fileURLToPath } from "node:url";
import { findCircles } from "./layers/circles.ts";
import { findRoomFaults, roomOf } from "./layers/rooms.ts";
import { listSourceFiles } from "./source_files.ts";

/**
 * The rooms, lowest floor first, with some that are yet to be built. A sub-room that
 * is not named stands on the floor of its room.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ["base"],
  ["api"],
  ["pod", "informer", "collect", "cri", "kube", "host"],
  [
    "source",
    "runtime",
    "volume",
    "node",
    "events",
    "local",
    "explain",
    "usage",
    "logs",
  ],
  [
    "picture",
    "prober",
    "status",
    "controller",
    "cluster",
    "eviction",
    "pressure",
    "reclaim",
  ],
  ["agent", "server", "config"],
  ["views"],
  ["app"],
  ["cli"],
];

/** Who may import a library. */
export interface LibraryRule {
  /** The paths, or the beginnings of paths, of the files that may. */
  readonly users: readonly string[];
  /** Set when nothing but types may be taken from it. */
  readonly typesOnly?: true;
}

/** The libraries of the agent; any other is a fault. Tests import what they like. */
export const LIBRARIES: Readonly<Record<string, LibraryRule>> = {
  "@bufbuild/protobuf": { users: ["mod/cri/", "proto/gen/"] },
  "@grpc/grpc-js": { users: ["mod/cri/"] },
  // Its code would cost 50 MB of memory, and its watch hangs on Deno.
  "@kubernetes/client-node": { users: ["mod/"], typesOnly: true },
  // The commands print YAML; all reading goes through mod/api.
  "js-yaml": { users: ["mod/api/", "mod/cli/"] },
};

/** Who may import the generated wire code. */
const WIRE_USERS = ["mod/cri/", "proto/gen/", "tests/"];

/** Where one kind of import leads, as `deno info --json` tells it. */
export interface GraphEdge {
  readonly specifier?: string;
  readonly error?: string;
  readonly span?: { readonly start: { readonly line: number } };
}

/** One module, as `deno info --json` tells it. */
export interface GraphModule {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly {
    /** As it is written in the import. */
    readonly specifier: string;
    readonly code?: GraphEdge;
    readonly type?: GraphEdge;
  }[];
}

/** What the imports are judged by. */
export interface LayerOptions {
  /** The URL of the project, with a slash at its end. */
  readonly root: string;
  readonly floors: readonly (readonly string[])[];
  readonly libraries: Readonly<Record<string, LibraryRule>>;
}

/** One import that is not allowed. */
export interface LayerFault {
  /** Relative to the root. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/**
 * Lists the imports that are not allowed, by file and line.
 *
 * Modules outside of the project and of its tests are not looked into.
 */
export function findLayerFaults(
  modules: readonly GraphModule[],
  options: LayerOptions,
): LayerFault[] {
  const missing = new Set(
    modules.filter(({ error }) => error !== undefined)
      .map(({ specifier }) => specifier),
  );
  const faults: LayerFault[] = [];
  for (const { specifier, dependencies = [] } of modules) {
    const path = pathIn(options.root, specifier);
    if (path === undefined) continue;
    const from = placeOf(path, options.floors);
    if (from.kind === "room" && from.floor < 0) {
      faults.push({ path, line: 1, message: noFloor(from.room) });
      continue;
    }
    for (const dependency of dependencies) {
      const edge = dependency.code ?? dependency.type;
      if (edge === undefined) continue;
      const message =
        edge.specifier === undefined || missing.has(edge.specifier)
          ? `"${dependency.specifier}" cannot be found`
          : judge(from, edge.specifier, {
            ...options,
            typesOnly: dependency.code === undefined,
          });
      if (message === undefined) continue;
      faults.push({ path, line: (edge.span?.start.line ?? 0) + 1, message });
    }
  }
  faults.push(...circleFaults(modules, options));
  return faults.sort((a, b) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1
  );
}

type Place =
  | {
    readonly kind: "room";
    readonly path: string;
    /** Below `mod/`: `pod/plan`. */
    readonly room: string;
    /** Counted from 0; -1 when the room has none. */
    readonly floor: number;
  }
  | {
    readonly kind: "tests";
    readonly path: string;
    /** The folder of `mod/` whose unit tests these are, or what only those use. */
    readonly testedFolder: string | undefined;
  }
  | {
    readonly kind: "main" | "wire" | "other";
    readonly path: string;
  };

interface ImportOptions extends LayerOptions {
  readonly typesOnly: boolean;
}

function judge(
  from: Place,
  specifier: string,
  options: ImportOptions,
): string | undefined {
  if (specifier.startsWith("node:")) return undefined;
  if (specifier.startsWith("npm:")) {
    return judgeLibrary(from, libraryName(specifier), options);
  }
  const path = pathIn(options.root, specifier);
  if (path === undefined) {
    return `imports "${specifier}", which is not part of the project`;
  }
  return judgeFile(from, placeOf(path, options.floors));
}

function judgeLibrary(
  from: Place,
  name: string,
  { libraries, typesOnly }: ImportOptions,
): string | undefined {
  if (from.kind === "tests" || from.kind === "other") return undefined;
  const rule = libraries[name];
  if (rule === undefined) return `"${name}" is not a library of the agent`;
  if (!rule.users.some((user) => from.path.startsWith(user))) {
    return `"${name}" is imported only by ${rule.users.join(", ")}`;
  }
  if (rule.typesOnly && !typesOnly) {
    return `"${name}" is for types only: write "import type"`;
  }
  return undefined;
}

function judgeFile(from: Place, to: Place): string | undefined {
  if (from.kind === "tests" || from.kind === "other") {
    return to.kind === "room" ? judgeDoor(from, to) : undefined;
  }
  switch (to.kind) {
    case "wire":
      return WIRE_USERS.some((user) => from.path.startsWith(user))
        ? undefined
        : `proto/gen is imported only by ${WIRE_USERS.join(", ")}`;
    case "room":
      return judgeRoom(from, to);
    case "other":
      // The version is written there, and nowhere else.
      if (to.path === "deno.json") return undefined;
      return notOfAgent(to.path);
    case "main":
    case "tests":
      return notOfAgent(to.path);
  }
}

function notOfAgent(path: string): string {
  return `imports ${path}, which is not part of the agent`;
}

function judgeRoom(
  from: Place,
  to: Place & { readonly kind: "room" },
): string | undefined {
  if (from.kind === "wire") return `imports ${to.path}, and is generated`;
  if (from.kind === "room") {
    if (from.room === to.room) return undefined;
    if (to.floor < 0) return noFloor(to.room);
    const isBelow = to.floor < from.floor ||
      (to.floor === from.floor && folderOf(from.room) === folderOf(to.room));
    if (!isBelow) {
      return `imports ${to.path}: floor ${to.floor} is not below floor ${from.floor}; declare what you need in mod/${from.room}/ports.ts`;
    }
  }
  return judgeDoor(from, to);
}

function judgeDoor(
  from: Place,
  to: Place & { readonly kind: "room" },
): string | undefined {
  const isOwn = from.kind === "tests" &&
    from.testedFolder === folderOf(to.room);
  const door = `mod/${to.room}/mod.ts`;
  if (isOwn || to.path === door) return undefined;
  return `imports ${to.path}; import ${door}`;
}

/** The folder of `mod/` that a room is, or lies in. */
function folderOf(room: string): string {
  return room.split("/")[0] ?? room;
}

function noFloor(room: string): string {
  return `mod/${room} has no floor; give it one in scripts/check_layers.ts`;
}

function placeOf(
  path: string,
  floors: readonly (readonly string[])[],
): Place {
  if (path.startsWith("mod/")) {
    const room = roomOf(path);
    const own = floors.findIndex((names) => names.includes(room));
    const floor = own >= 0
      ? own
      : floors.findIndex((names) => names.includes(folderOf(room)));
    return { kind: "room", path, room, floor };
  }
  if (path === "main.ts") return { kind: "main", path };
  if (path.startsWith("proto/gen/")) return { kind: "wire", path };
  if (path.startsWith("tests/")) {
    const [, kind, folder] = path.split("/");
    const isOfRoom = kind === "unit" || kind === "support";
    const testedFolder = isOfRoom ? folder : undefined;
    return { kind: "tests", path, testedFolder };
  }
  return { kind: "other", path };
}

function pathIn(root: string, specifier: string): string | undefined {
  if (!specifier.startsWith(root)) return undefined;
  return decodeURIComponent(specifier.slice(root.length));
}

function circleFaults(
  modules: readonly GraphModule[],
  { root }: LayerOptions,
): LayerFault[] {
  const edges = new Map<string, readonly string[]>();
  for (const { specifier, dependencies = [] } of modules) {
    const path = pathIn(root, specifier);
    if (path === undefined || !path.startsWith("mod/")) continue;
    const imported = dependencies.flatMap(({ code, type }) =>
      pathIn(root, (code ?? type)?.specifier ?? "") ?? []
    );
    edges.set(path, imported);
  }
  return findCircles(edges).map((circle) => ({
    path: circle[0] ?? "",
    line: 1,
    message: `is part of a circle of imports: ${circle.join(" → ")}`,
  }));
}

// "npm:@grpc/grpc-js@1.14.7" and "npm:/js-yaml@5.5.0/x" → the name alone.
function libraryName(specifier: string): string {
  const match = /^npm:\/?((?:@[^/@]+\/)?[^/@]+)/.exec(specifier);
  return match?.[1] ?? specifier;
}

// One argument of a command may have 128 KiB; this stays well below.
const ROOTS_PER_CALL = 400;

/**
 * Asks Deno for all modules that `paths` import, themselves included.
 *
 * @throws {Error} When Deno cannot tell.
 */
async function readGraph(
  root: URL,
  paths: readonly string[],
): Promise<GraphModule[]> {
  const modules = new Map<string, GraphModule>();
  for (let at = 0; at < paths.length; at += ROOTS_PER_CALL) {
    const imports = paths.slice(at, at + ROOTS_PER_CALL)
      .map((path) => `import ${JSON.stringify(new URL(path, root).href)};`);
    // `deno info` takes one module only, so one is made up that imports them all.
    const made = `data:application/typescript,${
      encodeURIComponent(imports.join(""))
    }`;
    const config = fileURLToPath(new URL("deno.json", root));
    const { success, stdout, stderr } = await new Deno.Command("deno", {
      args: ["info", "--json", "--config", config, made],
    }).output();
    if (!success) {
      const words = new TextDecoder().decode(stderr).trim();
      throw new Error(`Cannot read the module graph: ${words}`);
    }
    const graph: { readonly modules: readonly GraphModule[] } = JSON.parse(
      new TextDecoder().decode(stdout),
    );
    for (const module of graph.modules) modules.set(module.specifier, module);
  }
  return [...modules.values()];
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const paths = await listSourceFiles(root);
  const graph = await readGraph(root, paths);
  const faults = [
    ...findLayerFaults(graph, {
      root: root.href,
      floors: FLOORS,
      libraries: LIBRARIES,
    }),
    ...findRoomFaults(
      paths,
      (path) => Deno.readTextFileSync(new URL(path, root)),
    ),
  ];
  for (const { path, line, message } of faults) {
    console.error(`${path}:${line}: ${message}`);
  }
  Deno.exit(faults.length === 0 ? 0 : 1);
}
