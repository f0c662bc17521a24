/**
 * Checks volumes whose files are written by the agent: configMap, secret,
 * downwardAPI and projected.
 *
 * @module
 */

import { checkOneOf, checkRange, requireShape } from "./checks.ts";
import {
  localPathProblem,
  mapKeyProblem,
  MAX_PATH,
  type Problem,
  subdomainProblem,
} from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type { PodSpec, Volume } from "../types/mod.ts";
import { validateFieldRef, validateResourceFieldRef } from "./validate_env.ts";

/** Permission bits of a file. */
const MODE_RANGE = { min: 0, max: 0o777 };

type ConfigMapSource = NonNullable<Volume["configMap"]>;
type DownwardSource = NonNullable<Volume["downwardAPI"]>;
type ProjectedSource = NonNullable<Volume["projected"]>;

/** Reports what is wrong with the items and modes of a configMap or secret volume. */
export function validateKeyFiles(
  source: Pick<ConfigMapSource, "defaultMode" | "items">,
  at: Place,
): void {
  checkRange(source.defaultMode, MODE_RANGE, at.child("defaultMode"));
  checkKeyItems(source.items, at.child("items"), new FilePaths());
}

/** Reports what is wrong with a downwardAPI volume. */
export function validateDownwardFiles(
  source: DownwardSource,
  at: Place,
  spec: PodSpec,
): void {
  checkRange(source.defaultMode, MODE_RANGE, at.child("defaultMode"));
  const paths = new FilePaths();
  checkDownwardItems(source.items, at.child("items"), { paths, spec });
}

/** Reports what is wrong with a projected volume. */
export function validateProjected(
  source: ProjectedSource,
  at: Place,
  spec: PodSpec,
): void {
  checkRange(source.defaultMode, MODE_RANGE, at.child("defaultMode"));
  const paths = new FilePaths();
  for (const [i, one] of (source.sources ?? []).entries()) {
    const place = at.child("sources").index(i);
    checkOneOf(one, { of: "source" }, place);
    for (const kind of ["configMap", "secret"] as const) {
      const map = one[kind];
      if (map === undefined) continue;
      const mapAt = place.child(kind);
      requireShape(map.name, subdomainProblem, mapAt.child("name"));
      checkKeyItems(map.items, mapAt.child("items"), paths);
    }
    if (one.downwardAPI !== undefined) {
      const itemsAt = place.child("downwardAPI").child("items");
      checkDownwardItems(one.downwardAPI.items, itemsAt, { paths, spec });
    }
  }
}

/** Finds files that two items write, and files where another item needs a directory. */
class FilePaths {
  readonly #root: PathNode = new PathNode();

  check(path: string | undefined, at: Place): void {
    // A longer one has been refused for that already.
    if (path === undefined || path === "" || path.length > MAX_PATH) return;
    const steps = path.split("/").filter((step) => step !== "" && step !== ".");
    at.spend(steps.length);
    let node = this.#root;
    let isBelowFile = false;
    for (const step of steps) {
      isBelowFile ||= node.isFile;
      node = node.below(step);
    }
    if (node.isFile) at.duplicate(path);
    else if (isBelowFile || node.hasEntries) {
      at.invalid(
        path,
        "another item has a file where this needs a directory, or the reverse",
      );
    }
    node.isFile = true;
  }
}

/** A name below a volume, and the names below it. */
class PathNode {
  isFile = false;
  readonly #entries = new Map<string, PathNode>();

  get hasEntries(): boolean {
    return this.#entries.size > 0;
  }

  below(step: string): PathNode {
    const known = this.#entries.get(step);
    if (known !== undefined) return known;
    const made = new PathNode();
    this.#entries.set(step, made);
    return made;
  }
}

function checkKeyItems(
  items: ConfigMapSource["items"],
  at: Place,
  paths: FilePaths,
): void {
  for (const [i, item] of (items ?? []).entries()) {
    const place = at.index(i);
    requireShape(item.key, mapKeyProblem, place.child("key"));
    requireShape(item.path, filePathProblem, place.child("path"));
    checkRange(item.mode, MODE_RANGE, place.child("mode"));
    paths.check(item.path, place.child("path"));
  }
}

function checkDownwardItems(
  items: DownwardSource["items"],
  at: Place,
  context: { readonly paths: FilePaths; readonly spec: PodSpec },
): void {
  const { paths, spec } = context;
  for (const [i, item] of (items ?? []).entries()) {
    const place = at.index(i);
    requireShape(item.path, filePathProblem, place.child("path"));
    checkRange(item.mode, MODE_RANGE, place.child("mode"));
    paths.check(item.path, place.child("path"));
    const options = { of: "reference", ignore: ["path", "mode"] };
    checkOneOf(item, options, place);
    if (item.fieldRef !== undefined) {
      validateFieldRef(item.fieldRef, place.child("fieldRef"), {
        inVolume: true,
      });
    }
    if (item.resourceFieldRef !== undefined) {
      validateResourceFieldRef(
        item.resourceFieldRef,
        place.child("resourceFieldRef"),
        { inVolume: true, spec },
      );
    }
  }
}

function filePathProblem(path: string): Problem {
  return path.startsWith("..")
    ? "must not start with '..'"
    : localPathProblem(path);
}
