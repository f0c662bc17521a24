/**
 * The rules for pages: a short README, and nothing that points to nowhere.
 *
 * @module
 */

import type { Fault } from "./rules.ts";

const MAX_README_LINES = 150;
const LINK = /\]\(([^()\s]+)\)/g;
// A path of the repository between backticks; one with `*` or `<` is a pattern.
const PATH = /`((?:docs|examples|mod|proto|scripts|tests)\/[\w./-]*)`/g;

/** The repository as pages see it. */
export interface Repository {
  /** Whether there is a file or a folder at this path. */
  exists(path: string): boolean;
  /** The text of a page. */
  read(path: string): string;
}

/** Lists what breaks a rule in one page, by line. */
export function findPageFaults(path: string, repository: Repository): Fault[] {
  const lines = repository.read(path).split("\n");
  const faults = lines.flatMap((text, index) =>
    problemsOf(text, path, repository).map((message): Fault => ({
      path,
      line: index + 1,
      rule: "dead_link",
      message,
    }))
  );
  // What follows the last line break is no line.
  const count = lines.length - 1;
  if (path === "README.md" && count > MAX_README_LINES) {
    const message =
      `${count} lines, at most ${MAX_README_LINES}; move text into docs/`;
    faults.push({ path, line: count, rule: "file_length", message });
  }
  return faults;
}

/**
 * Lists the rooms that the page of the architecture does not name, and those that it
 * names and that are not there.
 *
 * @param rooms below `mod/`: `pod`, `pod/plan`
 */
export function findRoomRowFaults(
  rooms: ReadonlySet<string>,
  { read }: Pick<Repository, "read">,
): Fault[] {
  const path = "docs/architecture.md";
  const named = new Map<string, number>();
  for (const [index, text] of read(path).split("\n").entries()) {
    const room = /^\| [0-9] \| `mod\/([a-z]+)\/` \|/.exec(text)?.[1];
    if (room === undefined) continue;
    named.set(room, index + 1);
    for (const [, part] of text.matchAll(/`([a-z]+)`:/g)) {
      named.set(`${room}/${part}`, index + 1);
    }
  }
  const fault = (line: number, message: string): Fault => ({
    path,
    line,
    rule: "dead_link",
    message,
  });
  return [
    ...[...rooms].filter((room) => !named.has(room)).map((room) =>
      fault(1, `has no words for mod/${room}; say what the room does`)
    ),
    ...[...named].filter(([room]) => !rooms.has(room)).map(([room, line]) =>
      fault(line, `there is no room mod/${room}`)
    ),
  ];
}

function problemsOf(
  text: string,
  page: string,
  repository: Repository,
): string[] {
  const links = [...text.matchAll(LINK)].flatMap(([, target = ""]) =>
    /^[a-z]+:/.test(target) || leads(target, page, repository)
      ? []
      : [`the link "${target}" leads nowhere`]
  );
  const paths = [...text.matchAll(PATH)].flatMap(([, target = ""]) =>
    repository.exists(target) ? [] : [`"${target}" is not there any more`]
  );
  return [...links, ...paths];
}

function leads(target: string, page: string, repository: Repository): boolean {
  const [file = "", anchor] = target.split("#");
  const path = file === ""
    ? page
    : new URL(file, `file:///${page}`).pathname.slice(1);
  if (!repository.exists(path)) return false;
  return anchor === undefined ||
    anchorsOf(repository.read(path)).includes(anchor);
}

/** The names of headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("#")).map((line) =>
    line.replace(/^#+ /, "").toLowerCase().replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-")
  );
}
