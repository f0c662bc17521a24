/**
 * Checks the volumes of a pod.
 *
 * @module
 */

import {
  checkFields,
  checkOneOf,
  each,
  type FieldChecks,
  fields,
  oneOf,
  range,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import {
  backstepProblem,
  labelProblem,
  localPathProblem,
  mapKeyProblem,
  MAX_PATH,
  subdomainProblem,
} from "./names.ts";
import type { Place } from "../fault/mod.ts";
import {
  compareQuantities,
  parseQuantity,
  ZERO_QUANTITY,
} from "../objects/mod.ts";
import type { PodSpec, ProjectedSource, Volume } from "../types/mod.ts";
import { downwardChecks } from "./validate_env.ts";

/** Reports what is wrong with the volumes of a pod. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  at: Place,
  spec: PodSpec,
): void {
  const names = new Uniques();
  const paths = new FilePaths();
  const files = fileVolumes(spec, paths);
  for (const [i, volume] of (volumes ?? []).entries()) {
    const place = at.index(i);
    paths.clear();
    VOLUME_NAME(volume.name, place.child("name"));
    names.check(volume.name, place.child("name"));
    checkOneOf(volume, { of: "volume type", ignore: ["name"] }, place);
    checkFields(volume, place, NODE_VOLUMES);
    checkFields(volume, place, files);
  }
}

const VOLUME_NAME = required(shape(labelProblem));
const FILE_PATH = required(
  shape((path) =>
    path.startsWith("..") ? "must not start with '..'" : localPathProblem(path)
  ),
);
const MEDIUM = oneOf("", "Memory", "HugePages");

/** The kinds that bring their content with them. */
const NODE_VOLUMES: FieldChecks<Volume> = {
  emptyDir: fields({
    medium: (medium, at) => {
      if (medium?.startsWith("HugePages-")) return;
      MEDIUM(medium, at);
    },
    sizeLimit: (limit, at) => {
      if (limit === undefined) return;
      if (compareQuantities(parseQuantity(limit), ZERO_QUANTITY) < 0) {
        at.invalid(limit, "must be greater than or equal to 0");
      }
    },
  }),
  hostPath: fields({
    path: required(
      shape((path) =>
        path.startsWith("/")
          ? backstepProblem(path)
          : "must be an absolute path"
      ),
    ),
    type: oneOf(
      ...["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate"],
      ...["File", "FileOrCreate", "Socket"],
    ),
  }),
  image: fields({
    reference: required(),
    pullPolicy: oneOf("Always", "IfNotPresent", "Never"),
  }),
  persistentVolumeClaim: fields({
    claimName: required(shape(subdomainProblem)),
  }),
};

type KeyItem = NonNullable<NonNullable<Volume["configMap"]>["items"]>[number];
type DownwardItem = NonNullable<
  NonNullable<Volume["downwardAPI"]>["items"]
>[number];

/** The kinds whose files are written by the agent; `paths` are those of one volume. */
function fileVolumes(spec: PodSpec, paths: FilePaths): FieldChecks<Volume> {
  const downwards = downwardChecks({ inVolume: true, spec });
  const name = required(shape(subdomainProblem));
  const mode = range(0, 0o777);
  const file = {
    path: (path: string | undefined, at: Place): void => {
      FILE_PATH(path, at);
      paths.check(path, at);
    },
    mode,
  };
  const keys = each(
    fields<KeyItem>({ key: required(shape(mapKeyProblem)), ...file }),
  );
  const downward = each<DownwardItem>((item, at) => {
    checkFields(item, at, file);
    checkOneOf(item, { of: "reference", ignore: ["path", "mode"] }, at);
    checkFields(item, at, downwards);
  });
  const sources: FieldChecks<ProjectedSource> = {
    configMap: fields({ name, items: keys }),
    secret: fields({ name, items: keys }),
    downwardAPI: fields({ items: downward }),
  };
  return {
    configMap: fields({ name, defaultMode: mode, items: keys }),
    secret: fields({ secretName: name, defaultMode: mode, items: keys }),
    downwardAPI: fields({ defaultMode: mode, items: downward }),
    projected: fields({
      defaultMode: mode,
      sources: each((source, at) => {
        checkOneOf(source, { of: "source" }, at);
        checkFields(source, at, sources);
      }),
    }),
  };
}

/** Finds files that two items write, and files where another item needs a directory. */
class FilePaths {
  #root: PathNode = new PathNode();

  /** Begins anew, as for the next volume. */
  clear(): void {
    this.#root = new PathNode();
  }

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
