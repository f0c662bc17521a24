/**
 * `skerry images`.
 *
 * @module
 */

import type { ImageState } from "../server/mod.ts";
import { askList, type ClientContext } from "./control_client.ts";
import { type Listing, writeList } from "./listing.ts";
import type { ImagesCommand } from "./parse/mod.ts";
import { ageText } from "./text/mod.ts";

interface ImageRow extends ImageState {
  readonly nowMs: number;
}

/** How images are listed. */
const IMAGES: Listing<ImageState, ImageRow> = {
  kind: "image",
  name: nameOf,
  row: (image, nowMs) => ({ ...image, nowMs }),
  columns: [
    ["IMAGE", nameOf],
    ["ID", ({ id }) => id.replace(/^sha256:/, "").slice(0, 12)],
    ["SIZE", ({ size }) => sizeText(size)],
    ["USED-BY", usersText],
    // Since when the first of them has used it.
    [
      "SINCE",
      ({ users: [first], nowMs }) =>
        first === undefined ? "<none>" : ageText(first.since, nowMs),
    ],
    ["NAMES", ({ names }) => names.join(",") || "<none>", "wide"],
  ],
};

/**
 * Writes which images the runtime has, and who uses them, in the form asked for.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the runtime does not say.
 */
export async function listImages(
  command: ImagesCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const body: { readonly items: readonly ImageState[] } = await askList(
    agent,
    "/images",
    "images",
  );
  const { items } = body;
  await writeList(IMAGES, { items, body }, { shown: command, io });
}

function nameOf({ id, names: [name = id] }: ImageState): string {
  return name;
}

/** More would make the table too wide. */
const MOST_USERS = 3;

function usersText({ users, pinned }: ImageState): string {
  const names = [...new Set(users.map(({ name }) => name))];
  if (names.length === 0) return pinned ? "<runtime>" : "<none>";
  const more = names.length - MOST_USERS;
  const shown = names.slice(0, MOST_USERS).join(",");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A size as `ctr` and `crictl` write it, such as `2.1MB`. */
function sizeText(bytes: number): string {
  let rest = bytes;
  let unit = 0;
  while (rest >= 1_000 && unit < UNITS.length - 1) {
    rest /= 1_000;
    unit++;
  }
  const digits = unit === 0 || rest >= 100 ? 0 : 1;
  return `${rest.toFixed(digits)}${UNITS[unit]}`;
}
