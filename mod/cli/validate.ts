/**
 * `skerry validate`.
 *
 * @module
 */

import { decodeManifest, formatFault, MAX_MANIFEST_BYTES } from "../api/mod.ts";
import { describeError } from "../base/mod.ts";
import { absolutePath } from "../config/mod.ts";
import { readFileBounded } from "../host/mod.ts";
import { EXIT_FAILURE, EXIT_OK } from "./exit_code.ts";
import type { CliIo } from "./io.ts";

/**
 * Checks manifests without an agent and tells every fault of every file.
 *
 * Of a directory it checks the files that the agent would read: not those whose
 * names start with a dot, and none in directories below.
 */
export async function validate(
  files: readonly string[],
  io: CliIo,
): Promise<number> {
  let isGood = true;
  for (const file of files) {
    for (const target of await expand(file, io)) {
      const report = await check(target, io);
      isGood &&= report.isGood;
      await io.out(
        report.lines.map((line) => `${target.shown}: ${line}\n`)
          .join(""),
      );
    }
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
      if (entry.name.startsWith(".") || entry.isDirectory) continue;
      targets.push({
        kind: "file",
        shown: `${file.replace(/\/+$/, "")}/${entry.name}`,
        path: `${path}/${entry.name}`,
      });
    }
    if (targets.length === 0) {
      return [{
        kind: "unusable",
        shown: file,
        reason: "Cannot validate a directory without manifests: found no file",
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

async function check(target: Target, io: CliIo): Promise<Report> {
  switch (target.kind) {
    case "unusable":
      return bad([target.reason]);
    case "stdin":
      return checkBytes(await io.readStdin(MAX_MANIFEST_BYTES));
    case "file":
      return await checkFile(target.path);
  }
}

async function checkFile(path: string): Promise<Report> {
  try {
    const read = await readFileBounded(path, MAX_MANIFEST_BYTES);
    switch (read.kind) {
      case "read":
        return checkBytes(read.bytes);
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

function checkBytes(bytes: Uint8Array): Report {
  const result = decodeManifest(bytes);
  switch (result.kind) {
    case "ok": {
      const count = result.pods.length;
      return {
        isGood: true,
        lines: [`ok, ${count} ${count === 1 ? "pod" : "pods"}`],
      };
    }
    case "refused":
      return bad(result.faults.map(formatFault));
  }
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
