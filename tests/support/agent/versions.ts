/**
 * Versions of a pod, good and bad, and how to see which of them runs.
 *
 * @module
 */

import { podRow } from "../../../mod/cli/mod.ts";
import type { PodCondition } from "../../../mod/api/types/mod.ts";
import { CoreRig, type CoreRigOptions } from "./core_rig.ts";
import { web } from "./manifests.ts";

const CONDITION = "skerry.dev/RolledBack";

/** A version of a pod, with a minute to become ready. */
export interface Version {
  readonly name?: string;
  readonly uid?: string;
  /** @default "1m" */
  readonly after?: string | undefined;
  /** Runs, and never is ready. */
  readonly isBad?: boolean;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** The manifest of a version, named by its label. */
export function version(
  label: string,
  options: Version = {},
): Record<string, unknown> {
  const { isBad = false, spec, ...rest } = options;
  const after = "after" in options ? options.after : "1m";
  const pod = web({
    ...rest,
    labels: { version: label },
    spec: {
      ...isBad && { readinessGates: [{ conditionType: "skerry.dev/never" }] },
      ...spec,
    },
  });
  const annotations = after === undefined
    ? {}
    : { "skerry.dev/rollback-after": after };
  return { ...pod, metadata: { ...pod["metadata"] as object, annotations } };
}

/** The version that runs, as the label of the pod that clients see says. */
export function runningVersion(rig: CoreRig, name = "web"): string | undefined {
  return rig.status(name)?.phase === "Running"
    ? rig.pod(name)?.metadata.labels?.["version"]
    : undefined;
}

/** Waits until a version runs and nothing else of the pod is left. */
export async function untilRuns(
  rig: CoreRig,
  label: string,
  name = "web",
): Promise<void> {
  await rig.until(
    () =>
      runningVersion(rig, name) === label &&
      rig.pods().filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
          .length === 1,
    `version "${label}" of "${name}" alone`,
    { stepMs: 500 },
  );
}

/** How the pod says that a newer version was rolled back. */
export function rollbackCondition(
  rig: CoreRig,
  name = "web",
): PodCondition | undefined {
  return rig.status(name)?.conditions?.find(({ type }) => type === CONDITION);
}

/** The STATUS of the pod in `get pods`. */
export function shown(rig: CoreRig, name = "web"): string | undefined {
  const pod = rig.pod(name);
  return pod && podRow(pod, rig.clock.now()).status;
}

/** How often something was told of the pod. */
export function count(rig: CoreRig, event: string, name = "web"): number {
  return rig.events(name).filter((each) => each === event).length;
}

/** An agent on which version "one" has been ready for a while. */
export async function withGood(
  options: CoreRigOptions & { readonly first?: Version } = {},
): Promise<CoreRig> {
  const rig = await CoreRig.start(options);
  await rig.apply("web", version("one", options.first));
  await untilRuns(rig, "one");
  await rig.pass(5_000);
  return rig;
}

/** The same, with version "two" rolled back. */
export async function withRollback(
  options: CoreRigOptions = {},
): Promise<CoreRig> {
  const rig = await withGood(options);
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  await untilRuns(rig, "one");
  return rig;
}

/** The machine is switched off and on: nothing runs, the disk is as it was. */
export async function reboot(
  rig: CoreRig,
  meanwhile: () => Promise<void> | void = () => {},
): Promise<void> {
  await rig.stopAgent();
  for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
  await meanwhile();
  await rig.startAgent();
}

/** The files that keep versions. */
export function records(rig: CoreRig): string[] {
  return rig.list(`${rig.config.paths.rootDir}/checkpoints/rollbacks`);
}
