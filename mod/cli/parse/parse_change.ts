/**
 * Reads the arguments of the commands that change manifests, and of `rollout`.
 *
 * @module
 */

import { parseDuration } from "../../base/text/mod.ts";
import type {
  ChangeCommand,
  ManifestWish,
  ObjectTarget,
  RolloutCommand,
} from "./command.ts";
import {
  type FlagSpecs,
  LOCATION,
  NAMESPACE,
  namespaceOf,
  type Options,
  type Parsed,
  quote,
  readOptions,
  superfluous,
  TEXT,
} from "./options.ts";
import { readTargets } from "./parse_targets.ts";

const FOLDER = "pod-manifest-path";
const PLACE: FlagSpecs = { ...LOCATION, ...NAMESPACE, [FOLDER]: TEXT };
const DRY_RUN: FlagSpecs = { "dry-run": TEXT };
const FILES: FlagSpecs = { filename: { type: "string", short: "f" } };

/** Reads what stands behind `apply`. */
export function parseApply(args: readonly string[]): Parsed {
  return parseFiles(args, { kind: "apply", flags: DRY_RUN });
}

/** Reads what stands behind `diff`. */
export function parseDiff(args: readonly string[]): Parsed {
  return parseFiles(args, { kind: "diff", flags: {} });
}

function parseFiles(
  args: readonly string[],
  { kind, flags }: {
    readonly kind: "apply" | "diff";
    readonly flags: FlagSpecs;
  },
): Parsed {
  const options = readOptions(args, { ...PLACE, ...FILES, ...flags });
  const { faults, positionals } = options;
  const files = filesOf(options);
  faults.push(...superfluous(positionals));
  if (files.length === 0) {
    faults.push(`Cannot ${kind} nothing: wanted -f with files, or -f -`);
  }
  return { command: { kind, files, ...readPlace(options) }, faults };
}

/** Reads what stands behind `delete`. */
export function parseDelete(args: readonly string[]): Parsed {
  const options = readOptions(args, { ...PLACE, ...FILES, ...DRY_RUN });
  const { faults, positionals } = options;
  const files = filesOf(options);
  const hasFiles = files.length > 0;
  if (hasFiles) faults.push(...superfluous(positionals));
  const targets = hasFiles ? [] : readNamed(options, "delete");
  const place = readPlace(options);
  return { command: { kind: "delete", files, targets, ...place }, faults };
}

/** Reads what stands behind `scale`. */
export function parseScale(args: readonly string[]): Parsed {
  const options = readOptions(args, { ...PLACE, ...DRY_RUN, replicas: TEXT });
  const { faults, texts } = options;
  const given = texts.get("replicas");
  if (given === undefined || !/^\d{1,9}$/.test(given)) {
    faults.push(
      `Cannot use --replicas: found ${quote(given)}, wanted a whole number`,
    );
  }
  const targets = readNamed(options, "scale");
  refuseKinds(targets, { kinds: SCALED, verb: "scale", faults });
  return changeOf(options, targets, {
    kind: "scale",
    replicas: Number(given),
  });
}

/** Reads what stands behind `set`: `image KIND NAME CONTAINER=IMAGE...`. */
export function parseSet(args: readonly string[]): Parsed {
  const options = readOptions(args, { ...PLACE, ...DRY_RUN });
  const { faults, positionals: [what, ...rest] } = options;
  if (what !== "image") {
    faults.push(`Cannot set ${quote(what)}: wanted "image"`);
    return { command: undefined, faults };
  }
  // A name of an object has no equals sign.
  const pairs = rest.filter((each) => each.includes("="));
  const names = rest.filter((each) => !each.includes("="));
  const images = pairs.map((pair): readonly [string, string] => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const bad = images.find((each) => each.includes(""));
  if (images.length === 0 || bad !== undefined) {
    faults.push("Cannot set the image: wanted CONTAINER=IMAGE");
  }
  if (images.length > 1 && images.some(([container]) => container === "*")) {
    faults.push(
      "Cannot set more images with those of all containers: wanted *=IMAGE alone",
    );
  }
  const targets = readNamed({ ...options, positionals: names }, "set");
  refuseKinds(targets, { kinds: TEMPLATED, verb: "set", faults });
  return changeOf(options, targets, { kind: "image", images });
}

const SCALED = [
  "Deployment",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
];
const ROLLED = ["Deployment", "DaemonSet", "StatefulSet"];
const TEMPLATED = [...SCALED, "DaemonSet", "Job", "CronJob", "Pod"];

/** Reads what stands behind `rollout`. */
export function parseRollout(args: readonly string[]): Parsed {
  const options = readOptions(args, {
    ...PLACE,
    ...DRY_RUN,
    revision: TEXT,
    "to-revision": TEXT,
    timeout: TEXT,
    watch: { type: "boolean", short: "w" },
  });
  const { faults, positionals: [verb, ...rest], texts } = options;
  if (verb === undefined || !VERBS.includes(verb)) {
    faults.push(
      `Cannot roll out ${quote(verb)}: wanted one of ${VERBS.join(", ")}`,
    );
    return { command: undefined, faults };
  }
  const targets = readNamed({ ...options, positionals: rest }, "roll out");
  const isPause = verb === "pause" || verb === "resume";
  const kinds = isPause ? ["Deployment"] : ROLLED;
  refuseKinds(targets, { kinds, verb: `${verb} the rollout of`, faults });
  switch (verb) {
    case "pause":
    case "resume":
    case "restart":
      return changeOf(options, targets, { kind: verb });
    case "status":
    case "history":
    case "undo": {
      const flag = verb === "undo" ? "to-revision" : "revision";
      const command: RolloutCommand = {
        kind: `rollout_${verb}`,
        targets,
        ...readPlace(options),
        revision: readNumber(options, flag),
        timeoutMs: readTimeout(texts.get("timeout"), faults),
        once: args.includes("--watch=false"),
      };
      return { command, faults };
    }
    default:
      return { command: undefined, faults };
  }
}

const VERBS = ["status", "history", "undo", "restart", "pause", "resume"];

function changeOf(
  options: Options,
  targets: readonly ObjectTarget[],
  wish: ManifestWish,
): Parsed {
  const command: ChangeCommand = {
    kind: "change",
    wish,
    targets,
    ...readPlace(options),
  };
  return { command, faults: options.faults };
}

/** What all of them have in common; what kubectl's `--dry-run=server` is, is none here. */
function readPlace(options: Options): {
  readonly location: readonly string[];
  readonly namespace: string;
  readonly dryRun: boolean;
} {
  const { texts, faults } = options;
  const dryRun = texts.get("dry-run") ?? "none";
  if (dryRun !== "none" && dryRun !== "client") {
    faults.push(`Cannot use --dry-run: found "${dryRun}", wanted "client"`);
  }
  const folder = texts.get(FOLDER);
  const place = folder === undefined ? [] : [`--${FOLDER}=${folder}`];
  return {
    location: [...options.location, ...place],
    namespace: namespaceOf(options),
    dryRun: dryRun === "client",
  };
}

function filesOf({ texts }: Options): readonly string[] {
  return texts.get("filename")?.split(",") ?? [];
}

/** Objects by name; none may be left out. */
function readNamed(options: Options, verb: string): readonly ObjectTarget[] {
  const targets = readTargets(options, verb);
  if (targets.some(({ name }) => name === undefined)) {
    options.faults.push(
      `Cannot ${verb} all of a kind: wanted KIND NAME or KIND/NAME`,
    );
  }
  return targets;
}

function refuseKinds(
  targets: readonly ObjectTarget[],
  { kinds, verb, faults }: {
    readonly kinds: readonly string[];
    readonly verb: string;
    readonly faults: string[];
  },
): void {
  for (const { resource: { kind } } of targets) {
    if (kinds.includes(kind)) continue;
    faults.push(
      `Cannot ${verb} a ${kind}: wanted one of ${kinds.join(", ")}`,
    );
  }
}

/** Nothing stands for 0. */
function readNumber({ texts, faults }: Options, flag: string): number {
  const given = texts.get(flag) ?? "0";
  if (!/^\d{1,9}$/.test(given)) {
    faults.push(
      `Cannot use --${flag}: found "${given}", wanted the number of a revision`,
    );
  }
  return Number(given);
}

/** Nothing, as zero, stands for no end. */
function readTimeout(text: string | undefined, faults: string[]): number {
  if (text === undefined || text === "0") return 0;
  try {
    return parseDuration(text);
  } catch {
    faults.push(
      `Cannot use --timeout: found "${text}", wanted a duration such as 30s`,
    );
    return 0;
  }
}
