/**
 * On which disk what of pods lies, by what the runtime tells.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  type DiskLayout,
  diskLayout,
} from "../../../mod/pressure/disk_layout.ts";

const at = (...paths: readonly string[]) =>
  paths.map((mountpoint) => ({ mountpoint, usedBytes: 0n }));

const TOGETHER = { images: at("/a"), layers: at("/a") };
const SILENT = { images: at("/a"), layers: [] };
const SPLIT = { images: at("/a"), layers: at("/b") };

const ROWS: readonly (readonly [
  what: string,
  info: Parameters<typeof diskLayout>[0],
  disks: readonly ("imagefs" | "containerfs")[],
  wanted: DiskLayout["layersOn"],
])[] = [
  ["one disk", TOGETHER, [], "nodefs"],
  ["one disk of a runtime that is silent", undefined, [], "nodefs"],
  ["one disk of a runtime that knows no layers", SILENT, [], "nodefs"],
  ["a disk of images and layers", TOGETHER, ["imagefs"], "imagefs"],
  ["the same, of a runtime that is silent", undefined, ["imagefs"], "imagefs"],
  ["the same, of one that knows no layers", SILENT, ["imagefs"], "imagefs"],
  ["a disk of images alone", SPLIT, ["imagefs"], "nodefs"],
  ["layers elsewhere on one disk", SPLIT, [], "nodefs"],
  ["three disks", SPLIT, ["imagefs", "containerfs"], "containerfs"],
  ["a disk of layers alone", SPLIT, ["containerfs"], "containerfs"],
  [
    "a disk that is shown though no layers lie there",
    TOGETHER,
    ["imagefs", "containerfs"],
    "imagefs",
  ],
  [
    "several places of which one is shared",
    { images: at("/a", "/b"), layers: at("/c", "/b") },
    ["imagefs"],
    "imagefs",
  ],
];

for (const [what, info, disks, layersOn] of ROWS) {
  Deno.test(`diskLayout() of ${what}`, () => {
    const hasOwnImageFs = disks.includes("imagefs");
    const hasOwnContainerFs = disks.includes("containerfs");
    deepStrictEqual(diskLayout(info, { hasOwnImageFs, hasOwnContainerFs }), {
      hasOwnImageFs,
      layersOn,
    });
  });
}
