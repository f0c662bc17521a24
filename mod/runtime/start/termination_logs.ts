/**
 * The file for the last words of a container: made when the container is created, and
 * gone with its record.
 *
 * @module
 */

import { describeError } from "../../base/text/mod.ts";
import type { ContainerConfig } from "../../cri/config/mod.ts";
import { ContainerEvents } from "../account/mod.ts";
import { type SpecResult, terminationLogPath } from "../spec/mod.ts";
import type { NewRun } from "./new_runs.ts";
import type { ExecutorDeps } from "./start_context.ts";

/** The configuration of a container with the given file for its last words, or without one. */
type BuildConfig = (
  terminationLog: string | undefined,
) => SpecResult<ContainerConfig>;

type Creation =
  | { readonly kind: "created"; readonly containerId: string }
  | Extract<SpecResult<ContainerConfig>, { readonly kind: "refused" }>;

type LogDeps = Pick<ExecutorDeps, "containerFiles" | "events">;

/**
 * Creates a container with its file. Nothing is written for one whose configuration
 * is refused, and nothing is left of one that could not be created.
 *
 * @throws {unknown} What `create` threw.
 */
export async function createWithLog(
  deps: LogDeps,
  run: NewRun,
  how: {
    readonly build: BuildConfig;
    readonly create: (config: ContainerConfig) => Promise<string>;
  },
): Promise<Creation> {
  const { pod, container } = run;
  const { containerFiles } = deps;
  const { uid } = pod.metadata;
  const of = { name: container.name, restartCount: run.restartCount };
  const path = terminationLogPath(container) === ""
    ? undefined
    : containerFiles.terminationLog(uid, of);
  const wanted = how.build(path);
  if (wanted.kind === "refused") return wanted;
  const isMade = path !== undefined && await makeLog(deps, run);
  const spec = isMade ? wanted : how.build(undefined);
  if (spec.kind === "refused") return spec;
  try {
    const containerId = await how.create(spec.config);
    return { kind: "created", containerId };
  } catch (error) {
    // One that was created all the same is never started, but created anew.
    if (isMade) await containerFiles.removeTerminationLog(uid, of);
    throw error;
  }
}

/** On a disk that takes nothing a container starts without one, as upstream. */
async function makeLog(
  { containerFiles, events }: LogDeps,
  { pod, container: { name }, restartCount }: NewRun,
): Promise<boolean> {
  try {
    await containerFiles.makeTerminationLog(pod, { name, restartCount });
    return true;
  } catch (error) {
    const message = `Cannot take its last words: ${describeError(error)}`;
    new ContainerEvents(events, pod)
      .warning(name, "FailedTerminationLog", message);
    return false;
  }
}
