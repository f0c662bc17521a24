/**
 * `skerry validate`.
 *
 * @module
 */

import { resolve } from "node:path";
import {
  type DecodedPod,
  decodeManifest,
  placePodFaults,
  placeWorkloadFaults,
} from "../api/read/mod.ts";
import { type Fault, formatFault } from "../api/fault/mod.ts";
import {
  formatObjectId,
  type LocalObject,
  objectId,
} from "../api/objects/mod.ts";
import { SYSTEM_PRIORITIES } from "../api/defaults/mod.ts";
import { MAX_MANIFEST_BYTES } from "../api/text/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import {
  workloadId,
  type WorkloadManifest,
  workloadTemplate,
} from "../api/workload/mod.ts";
import { judgePod } from "../app/mod.ts";
import { describeError, trimEndOf } from "../base/text/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import { objectReferences } from "../pod/inputs/mod.ts";
import { isManifestName } from "../source/file/mod.ts";
import type { CliIo } from "./io.ts";
import type { ValidateCommand } from "./parse/mod.ts";
import { cleanLine } from "./text/mod.ts";

/**
 * Checks manifests without an agent, as the agent does, and lists what is in them; returns
 * whether all are good.
 *
 * In a directory it checks the files that the agent would read: those named `.yaml`,
 * `.yml` or `.json` that do not start with a dot, and none in directories below.
 */
export async function validate(
  command: ValidateCommand,
  io: CliIo,
): Promise<boolean> {
  let isGood = true;
  const contents = new ManifestContents();
  for (const file of command.files) {
    for (const { shown, check } of await expand(file, io)) {
      const report = await check({ ...command, contents, shown });
      isGood &&= report.isGood;
      await io.out(
        report.lines.map((line) => `${cleanLine(`${shown}: ${line}`)}\n`)
          .join(""),
      );
    }
  }
  for (const { file, message } of contents.warnings()) {
    await io.out(`${cleanLine(`${file}: warning: ${message}`)}\n`);
  }
  return isGood;
}

interface ValidationTarget {
  readonly shown: string;
  check(context: CheckContext): Report | Promise<Report>;
}

interface Report {
  readonly isGood: boolean;
  readonly lines: readonly string[];
}

interface CheckContext
  extends Pick<ValidateCommand, "unknownFields" | "podNetworks"> {
  /** What the manifest is called. */
  readonly shown: string;
  /** Takes what is in the manifests. */
  readonly contents: ManifestContents;
}

async function expand(file: string, io: CliIo): Promise<ValidationTarget[]> {
  if (file === "-") {
    const check: ValidationTarget["check"] = async (context) =>
      checkBytes(await io.readStdin(MAX_MANIFEST_BYTES), context);
    return [{ shown: "standard input", check }];
  }
  const path = file.startsWith("/") ? file : resolve(io.cwd(), file);
  const targetOf = (shown: string, path: string): ValidationTarget => ({
    shown,
    check: (context) => checkFile(path, context),
  });
  const unusable = (reason: string): ValidationTarget => ({
    shown: file,
    check: () => bad([reason]),
  });
  try {
    if (!(await Deno.stat(path)).isDirectory) return [targetOf(file, path)];
    const targets: ValidationTarget[] = [];
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      if (!isManifestName(name, { everyFile: false }) || isDirectory) continue;
      targets.push(
        targetOf(`${trimEndOf(file, "/")}/${name}`, `${path}/${name}`),
      );
    }
    return targets.length > 0
      ? targets.sort((left, right) => left.shown < right.shown ? -1 : 1)
      : [unusable(
        "Cannot validate a directory without manifests: found no file named *.yaml, *.yml or *.json",
      )];
  } catch (error) {
    return [unusable(unreadable(error))];
  }
}

async function checkFile(path: string, context: CheckContext): Promise<Report> {
  try {
    const read = await readFileBounded(path, MAX_MANIFEST_BYTES);
    switch (read.kind) {
      case "read":
        return checkBytes(read.bytes, context);
      case "missing":
        return bad(["Cannot read it: there is no such file"]);
      case "not_regular":
        return bad([`Cannot read it: found a ${read.what}, wanted a file`]);
      case "too_large":
        return bad([
          `Cannot read it: found ${read.stamp.size} bytes, wanted at most ${MAX_MANIFEST_BYTES}`,
        ]);
    }
  } catch (error) {
    return bad([unreadable(error)]);
  }
}

function checkBytes(bytes: Uint8Array, context: CheckContext): Report {
  const { contents, shown, unknownFields } = context;
  const result = decodeManifest(bytes, { unknownFields });
  if (result.kind === "refused") return bad(result.faults.map(formatFault));
  const { pods, objects, workloads } = result;
  const verdicts = pods.map((pod) => judgePod(pod, context));
  const templates = workloads.map((one) => judgeTemplate(one, context));
  const faults = [
    ...placePodFaults(bytes, verdicts.map(({ faults }) => faults)),
    ...placeWorkloadFaults(bytes, templates.map(({ faults }) => faults)),
  ];
  if (faults.length > 0) return bad(faults.map(formatFault));
  const warnings = [
    ...result.warnings,
    ...placePodFaults(bytes, verdicts.map(({ warnings }) => warnings)),
    ...placeWorkloadFaults(bytes, templates.map(({ warnings }) => warnings)),
  ];
  contents.add(shown, { pods, objects, workloads });
  const others = objects.length + workloads.length;
  const counts = [
    ...(pods.length > 0 || others === 0 ? [counted(pods.length, "pod")] : []),
    ...(others > 0 ? [counted(others, "object")] : []),
  ];
  return {
    isGood: true,
    lines: [
      `ok, ${counts.join(", ")}`,
      ...pods.map(({ metadata }) =>
        `Pod ${metadata.namespace || "default"}/${metadata.name}`
      ),
      ...workloads.map((one) => formatObjectId(workloadId(one))),
      ...objects.map((object) => formatObjectId(objectId(object))),
      ...warnings.map((warning) => `warning: ${formatFault(warning)}`),
    ],
  };
}

/** What an agent would think of the pods that a workload makes. */
function judgeTemplate(
  workload: WorkloadManifest,
  context: CheckContext,
): ReturnType<typeof judgePod> {
  const { template, path } = workloadTemplate(workload);
  const { faults, warnings } = judgePod(template, context);
  const below = (fault: Fault): Fault => ({
    ...fault,
    field: [...path, fault.field].join("."),
  });
  return { faults: faults.map(below), warnings: warnings.map(below) };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function bad(lines: readonly string[]): Report {
  return { isGood: false, lines };
}

function unreadable(error: unknown): string {
  let cause = error;
  while (cause instanceof Error) {
    if (cause instanceof Deno.errors.NotCapable) {
      return "Cannot read it: this skerry has no grant for that path, wanted it on standard input: skerry validate - < FILE";
    }
    cause = cause.cause;
  }
  return `Cannot read it: ${describeError(error)}`;
}

/** Gathers pods and objects of several files and says what does not fit together. */
class ManifestContents {
  readonly #pods: {
    readonly file: string;
    /** What is meant, a pod or what makes pods. */
    readonly shown: string;
    readonly pod: Pod;
  }[] = [];
  /** The first file of each pod and object. */
  readonly #files = new Map<string, string>();
  readonly #warnings: ContentsWarning[] = [];

  /** Takes what one file holds. */
  add(
    file: string,
    content: {
      readonly pods: readonly DecodedPod[];
      readonly objects: readonly LocalObject[];
      readonly workloads: readonly WorkloadManifest[];
    },
  ): void {
    for (const { spec, metadata } of content.pods) {
      const namespace = metadata.namespace || "default";
      const pod: Pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, namespace, uid: metadata.uid ?? "" },
        spec,
      };
      const shown = `Pod ${namespace}/${metadata.name}`;
      if (this.#take(shown, file)) this.#pods.push({ file, shown, pod });
    }
    for (const workload of content.workloads) {
      const id = workloadId(workload);
      if (!this.#take(formatObjectId(id), file)) continue;
      const { metadata = {}, spec } = workloadTemplate(workload).template;
      const { namespace, name } = id;
      const named = { ...metadata, namespace, name, uid: "" };
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: named,
        spec,
      } as const;
      this.#pods.push({ file, shown: formatObjectId(id), pod });
    }
    for (const object of content.objects) {
      this.#take(formatObjectId(objectId(object)), file);
    }
  }

  /** What is there twice, and what is referred to and not there. */
  warnings(): readonly ContentsWarning[] {
    const missing = this.#pods.flatMap(({ file, shown, pod }) => {
      return [...neededObjects(pod), ...neededClass(pod)]
        .filter((object) => !this.#files.has(object))
        .map((object): ContentsWarning => ({
          file,
          message:
            `${shown} refers to ${object}, which is in none of these files`,
        }));
    });
    return [...this.#warnings, ...missing];
  }

  #take(name: string, file: string): boolean {
    const first = this.#files.get(name);
    if (first === undefined) this.#files.set(name, file);
    else {
      const message =
        `${name} is in ${first} as well, and only the first counts`;
      this.#warnings.push({ file, message });
    }
    return first === undefined;
  }
}

function neededObjects(pod: Pod): readonly string[] {
  return objectReferences(pod)
    .filter(({ optional }) => !optional)
    .map((reference) => formatObjectId(reference));
}

/** The class of priorities that a pod names; those of the system are always there. */
function neededClass({ spec }: Pod): readonly string[] {
  const { priority, priorityClassName: name = "" } = spec;
  const isKnown = name === "" || SYSTEM_PRIORITIES.has(name);
  return isKnown || priority !== undefined
    ? []
    : [formatObjectId({ kind: "PriorityClass", namespace: "", name })];
}

interface ContentsWarning {
  readonly file: string;
  readonly message: string;
}
