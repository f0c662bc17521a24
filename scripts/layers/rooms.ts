/**
 * The shape of the rooms: how large they are, and what their doors look like.
 *
 * @module
 */

/** The most files of a room; in a larger folder a file is hard to find. */
export const MAX_FILES = 25;

/** The most names of a door; with more, a room hides nothing. */
export const MAX_NAMES = 30;

/** One thing that is wrong with a room. */
export interface RoomFault {
  /** Relative to the root. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The room that a file of `mod/` is in, below `mod/`; what is generated belongs to the room around it. */
export function roomOf(path: string): string {
  const folders = path.split("/").slice(1, -1);
  if (folders.at(-1) === "gen") folders.pop();
  return folders.join("/");
}

/** Names that every room may have. */
const COMMON_NAMES: ReadonlySet<string> = new Set(["mod.ts", "ports.ts"]);

/**
 * Lists what is wrong with the rooms: too many files, no door, a door that is no
 * list of at most {@linkcode MAX_NAMES} names or that does not say with a paragraph and an
 * example what it offers, two files of one name, or two declarations of one.
 *
 * @param paths the source files, relative to the root
 */
export function findRoomFaults(
  paths: readonly string[],
  read: (path: string) => string,
): readonly RoomFault[] {
  const rooms = Map.groupBy(
    paths.filter((path) => /^mod\/.*\//.test(path)),
    roomOf,
  );
  const doors = [...rooms].flatMap(([room, files]) => {
    const door = `mod/${room}/mod.ts`;
    const messages = [
      ...(files.length > MAX_FILES
        ? [
          `has ${files.length} files; ${MAX_FILES} is the most: make sub-rooms`,
        ]
        : []),
      ...(files.includes(door)
        ? doorFaults(read(door))
        : [`is missing: mod/${room} needs a door`]),
    ];
    return messages.map((message) => ({ path: door, line: 1, message }));
  });
  const files = [...rooms.values()].flat();
  return [...doors, ...sameNames(files), ...sameDeclarations(files, read)];
}

function sameNames(paths: readonly string[]): RoomFault[] {
  const first = new Map<string, string>();
  return paths.flatMap((path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const other = first.get(name);
    first.set(name, other ?? path);
    if (COMMON_NAMES.has(name) || other === undefined) return [];
    const message = `has the name of ${other}; no two files have one name`;
    return [{ path, line: 1, message }];
  });
}

/**
 * The names that two files declare: two exports, an export and a type, or two types. A
 * type counts even if its file keeps it to itself, since a reader takes a name for one
 * thing everywhere. No name is exempt.
 */
function sameDeclarations(
  paths: readonly string[],
  read: (path: string) => string,
): RoomFault[] {
  const declared = paths.flatMap((path) =>
    [...read(path).matchAll(DECLARED)].map(([, exported, type, name = ""]) => ({
      path,
      name,
      isExported: exported !== undefined,
      isType: type !== undefined,
    }))
  ).filter(({ isExported, isType }) => isExported || isType);
  // The first export of a name keeps it; without one, its first private type.
  const owners = new Map(
    [false, true].flatMap((isExported) =>
      declared.filter((each) => each.isExported === isExported).reverse()
        .map((owner) => [owner.name, owner] as const)
    ),
  );
  return declared.flatMap(({ path, name }) => {
    const owner = owners.get(name);
    if (owner === undefined || owner.path === path) return [];
    const verb = owner.isExported ? "exports" : "declares, too";
    const message = `declares ${name}, which ${owner.path} ${verb}: rename it`;
    return [{ path, line: 1, message }];
  });
}

const DECLARED =
  /^(export )?(?:(interface|type|(?:abstract )?class)|const|(?:async )?function\*?) (\w+)/gm;

function doorFaults(text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\//g, "");
  const lists = [...code.matchAll(/\{([^}]*)\}/g)];
  const names = lists.flatMap(([, list = ""]) => list.split(","))
    .filter((name) => name.trim() !== "");
  // The text of the module, without its stars.
  const [, told = ""] = /^\/\*\*([^]*?)\*\//.exec(text) ?? [];
  const lines = told.split("\n").map((line) => line.trim().slice(1).trim());
  const opening = lines.find((line) => line !== "") ?? "";
  const isShown = lines.some((line, at) =>
    /^@example \S/.test(line) && lines[at + 1] === "```ts"
  );
  return [
    ...(opening === "" || opening.startsWith("@")
      ? ["opens with no sentence: say what the room is for"]
      : []),
    ...(isShown ? [] : ["has no example: show one, with a title and as ```ts"]),
    ...(code.includes("export *") ? ["exports everything: name it"] : []),
    ...(names.length > MAX_NAMES
      ? [`offers ${names.length} names; ${MAX_NAMES} is the most`]
      : []),
  ];
}
