/**
 * `skerry validate`.
 *
 * @module
 */

import { decodeManifest, placePodFaults } from "../api/read/mod.ts";
import { formatFault } from "../api/fault/mod.ts";
import { formatObjectId, objectId } from "../api/objects/mod.ts";
import { MAX_MANIFEST_BYTES } from "../api/text/mod.ts";
import { judgePod } from "../app/mod.ts";
import { describeError, trimEndOf } from "../base/text/mod.ts";
import { absolutePath } from "../config/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import { isManifestName } from "../source/file/mod.ts";
import { EXIT_FAILURE, EXIT_OK } from "./exit_code.ts";
import type { CliIo } from "./io.ts";
import { ManifestContents } from "./manifest_contents.ts";
import type { ValidateCommand } from "./parse/mod.ts";
import { cleanLine } from "./text/mod.ts";

/**
 * Checks manifests without an agent, as the agent does, and lists what is in them.
 *
 * Of a directory it checks the files that the agent would read: those named
 * `.yaml`, `.yml` or `.json` that do not start with a dot, and none in directories
 * below.
 */
export async function validate(
  command: ValidateCommand,
  io: CliIo,
): Promise<number> {
  let isGood = true;
  const contents = new ManifestContents();
  for (const file of command.files) {
    for (const target of await expand(file, io)) {
      const report = await check(target, { ...command, io, contents });
      isGood &&= report.isGood;
      await io.out(
        report.lines.map((line) => cleanLine(`${target.shown}: ${line}`))
          .map((line) => `${line}\n`).join(""),
      );
    }
  }
  for (const { file, message } of contents.warnings()) {
    await io.out(`${cleanLine(`${file}: warning: ${message}`)}\n`);
  }
  return isGood ? EXIT_OK : EXIT_FAILURE;
}

type Target =
  | { readonly kind: "stdin"; readonly shown: string }
  | { readonly kind: "file"; readonly shown: string; readonly path: string }
  | {
    readonly kind: "unusable";
    readonly shown: string;
    readonly reason: string;
  };

async function expand(file: string, io: CliIo): Promise<Target[]> {
  if (file === "-") return [{ kind: "stdin", shown: "standard input" }];
  const path = file.startsWith("/") ? file : absolutePath(file, io.cwd());
  try {
    if (!(await Deno.stat(path)).isDirectory) {
      return [{ kind: "file", shown: file, path }];
    }
    const targets: Target[] = [];
    for await (const entry of Deno.readDir(path)) {
      const isRead = isManifestName(entry.name, { everyFile: false });
      if (!isRead || entry.isDirectory) continue;
      targets.push({
        kind: "file",
        shown: `${trimEndOf(file, "/")}/${entry.name}`,
        path: `${path}/${entry.name}`,
      });
    }
    if (targets.length === 0) {
      return [{
        kind: "unusable",
        shown: file,
        reason:
          "Cannot validate a directory without manifests: found no file named *.yaml, *.yml or *.json",
      }];
    }
    return targets.sort((left, right) => left.shown < right.shown ? -1 : 1);
  } catch (error) {
    return [{ kind: "unusable", shown: file, reason: unreadable(error) }];
  }
}

interface Report {
  readonly isGood: boolean;
  readonly lines: readonly string[];
}

interface CheckContext
  extends Pick<ValidateCommand, "unknownFields" | "podNetworks"> {
  readonly io: CliIo;
  /** Takes what is in the manifests. */
  readonly contents: ManifestContents;
}

async function check(target: Target, context: CheckContext): Promise<Report> {
  const { shown } = target;
  switch (target.kind) {
    case "unusable":
      return bad([target.reason]);
    case "stdin": {
      const bytes = await context.io.readStdin(MAX_MANIFEST_BYTES);
      return checkBytes(bytes, { ...context, shown });
    }
    case "file":
      return await checkFile(target.path, { ...context, shown });
  }
}

interface FileContext extends CheckContext {
  readonly shown: string;
}

async function checkFile(path: string, context: FileContext): Promise<Report> {
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

function checkBytes(bytes: Uint8Array, context: FileContext): Report {
  const { contents, shown, unknownFields } = context;
  const result = decodeManifest(bytes, { unknownFields });
  if (result.kind === "refused") return bad(result.faults.map(formatFault));
  const { pods, objects } = result;
  const verdicts = pods.map((pod) => judgePod(pod, context));
  const faults = placePodFaults(bytes, verdicts.map(({ faults }) => faults));
  if (faults.length > 0) return bad(faults.map(formatFault));
  const warnings = [
    ...result.warnings,
    ...placePodFaults(bytes, verdicts.map(({ warnings }) => warnings)),
  ];
  contents.add(shown, { pods, objects });
  const counts = [
    ...(pods.length > 0 || objects.length === 0
      ? [counted(pods.length, "pod")]
      : []),
    ...(objects.length > 0 ? [counted(objects.length, "object")] : []),
  ];
  return {
    isGood: true,
    lines: [
      `ok, ${counts.join(", ")}`,
      ...pods.map(({ metadata }) =>
        `Pod ${metadata.namespace || "default"}/${metadata.name}`
      ),
      ...objects.map((object) => formatObjectId(objectId(object))),
      ...warnings.map((warning) => `warning: ${formatFault(warning)}`),
    ],
  };
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
