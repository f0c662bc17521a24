/**
 * Manifests of the pods that the tests run.
 *
 * @module
 */

import type { CoreRig } from "./core_rig.ts";
import { IMAGE } from "../pods.ts";
import { NODE } from "./core_config.ts";

/** The name of the container of {@linkcode web}. */
export const WEB = "server";

/** A container of the fake image. */
export function busybox(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { name, image: IMAGE, command: ["sleep", "1d"], ...fields };
}

/** A pod of one container that runs until it is told to end. */
export function web(
  options: {
    /** @default "web" */
    readonly name?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly spec?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  const { name = "web", uid, labels, spec } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      ...uid === undefined ? {} : { uid },
      ...labels === undefined ? {} : { labels },
    },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [busybox(WEB)],
      ...spec,
    },
  };
}

/** A pod with one container, whose name is that of the pod. */
export function alone(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  rest: Omit<NonNullable<Parameters<typeof web>[0]>, "name"> = {},
): Record<string, unknown> {
  const containers = [busybox(name, fields)];
  return web({ name, ...rest, spec: { containers, ...rest.spec } });
}

/** Waits until nothing of any pod is left: runtime, disk, memory. */
export async function untilGone(rig: CoreRig): Promise<void> {
  await rig.until(
    () => leftovers(rig).length === 0,
    "nothing to be left",
    { stepMs: 500 },
  );
}

/** What there is of pods in runtime, disk and memory. */
export function leftovers(rig: CoreRig): readonly string[] {
  const { containers, sandboxes } = rig.fake;
  return [
    ...[...containers.values()].map(({ name }) => `container ${name}`),
    ...[...sandboxes.keys()].map((id) => `sandbox ${id}`),
    ...rig.core.agent.pods().map(({ uid }) => `worker ${uid}`),
    ...[...rig.core.sessions.keys()].map((uid) => `session ${uid}`),
    ...[...rig.core.statuses.uids()].map((uid) => `status ${uid}`),
    ...rig.list(`${rig.config.paths.rootDir}/pods`),
    ...rig.list(rig.config.runtime.podLogsDir),
  ];
}

/** Leaves a log as the runtime writes it, by which the number of a run is known. */
export async function writeLog(
  rig: CoreRig,
  uid: string,
  attempt: number,
): Promise<void> {
  const { podLogsDir } = rig.config.runtime;
  const directory = `${podLogsDir}/default_web-${NODE}_${uid}/${WEB}`;
  await Deno.writeTextFile(`${directory}/${attempt}.log`, "");
}
