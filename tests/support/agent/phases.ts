/**
 * Agents whose pods run, and the waits for what becomes of them.
 *
 * @module
 */

import { CoreRig, type CoreRigOptions } from "./core_rig.ts";
import { WEB, web } from "./manifests.ts";

/** Waits until a pod is in a phase. */
export async function untilPhase(
  rig: CoreRig,
  phase: string,
  options: Parameters<CoreRig["until"]>[2] & {
    /** @default "web" */
    readonly name?: string;
  } = {},
): Promise<void> {
  const { name = "web", ...wait } = options;
  const what = `"${name}" to be ${phase}`;
  await rig.until(() => rig.status(name)?.phase === phase, what, wait);
}

/** Waits until the pods of these names run; the pod `web` when none is given. */
export async function untilRunning(
  rig: CoreRig,
  ...names: readonly string[]
): Promise<void> {
  const wanted = names.length === 0 ? ["web"] : names;
  await rig.until(
    () => wanted.every((name) => rig.status(name)?.phase === "Running"),
    `${wanted} to run`,
  );
}

/** Waits until just one container of a name runs. */
export async function untilContainerRuns(
  rig: CoreRig,
  name: string = WEB,
): Promise<void> {
  const what = `one container "${name}" to run`;
  await rig.until(() => rig.fake.running(name).length === 1, what);
}

/** Waits until a pod runs, and just one container of it. */
export async function untilOneRuns(
  rig: CoreRig,
  name: string = "web",
): Promise<void> {
  await rig.until(
    () =>
      rig.status(name)?.phase === "Running" &&
      rig.fake.running(WEB).length === 1,
    `"${name}" to run once`,
  );
}

/** An agent whose pod `web` runs. */
export async function withRunning(
  manifest: Record<string, unknown> = web(),
  options: CoreRigOptions = {},
): Promise<CoreRig> {
  const rig = await CoreRig.start(options);
  await rig.apply("web", manifest);
  await untilRunning(rig);
  return rig;
}
