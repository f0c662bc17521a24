/**
 * What containers and the node tell each other through files.
 *
 * @module
 */

import type { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";

/** A directory of the node that containers write into, as they see it under `/out`. */
export interface Outside {
  /** Fields of a container that sees it. */
  readonly mount: {
    readonly volumeMounts: readonly [{
      readonly name: "out";
      readonly mountPath: "/out";
    }];
  };
  /** The volumes of its pod. */
  readonly volumes: readonly [{
    readonly name: "out";
    readonly hostPath: { readonly path: string };
  }];
  /** What was written to `/out/seen`, line by line. */
  lines(): Promise<readonly string[]>;
  /** Waits until `/out/seen` has so many lines equal to `line`. */
  until(line: string, count?: number): Promise<void>;
  /** Waits until `/out/seen` has so many lines. */
  untilLines(count: number): Promise<void>;
  /** Makes an empty file of this name. */
  put(name: string): Promise<void>;
  /** Removes the file of this name, if there is one. */
  take(name: string): Promise<void>;
}

/** Makes such a directory, of its own for each name. */
export async function outside(
  agent: AgentProcess,
  name: string,
): Promise<Outside> {
  const path = `${agent.directory}/out-${name}`;
  await Deno.mkdir(path);
  const lines = async (): Promise<readonly string[]> => {
    const text = await Deno.readTextFile(`${path}/seen`).catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  };
  return {
    mount: { volumeMounts: [{ name: "out", mountPath: "/out" }] },
    volumes: [{ name: "out", hostPath: { path } }],
    lines,
    until: (line, count = 1) =>
      waitUntil(
        `"${line}" ${count} times`,
        async () =>
          (await lines()).filter((each) => each === line).length >= count,
        { saw: lines },
      ),
    untilLines: (count) =>
      waitUntil(
        `${count} lines`,
        async () => (await lines()).length >= count,
        { saw: lines },
      ),
    put: (file) => Deno.writeTextFile(`${path}/${file}`, ""),
    take: (file) =>
      Deno.remove(`${path}/${file}`).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }),
  };
}

/** The command that runs a script. */
export function shell(script: string): readonly string[] {
  return ["sh", "-c", script];
}
