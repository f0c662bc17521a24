/**
 * Gives the tests of one file a real runtime that starts once and ends with the last of them.
 *
 * @module
 */

import { newerContainerd } from "../../../scripts/newer_containerd.ts";
import type {
  AgentOptions,
  AgentProcess,
} from "../../../scripts/lib/agent_process.ts";
import {
  ContainerdRig,
  type RigOptions,
} from "../../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";

/** What a test sees of the runtime. */
export interface TestRuntime {
  readonly rig: ContainerdRig;
  /** Options of an agent on this runtime. */
  agentOptions(): AgentOptions;
  /** Waits until nothing of a pod UID is left: sandbox, container, directory, logs, address (I3). */
  untilGone(uid: string, agent: AgentProcess): Promise<void>;
}

/**
 * Registers one test. With `skip`, the reason why it cannot show anything on this
 * machine, it is counted as ignored and the reason stands in its name.
 */
export type RegisterTest = (
  name: string,
  body: (runtime: TestRuntime) => Promise<void>,
  options?: { readonly skip?: string | undefined },
) => void;

/** How the runtime of one file's tests differs from the usual one. */
export interface RuntimeOptions extends RigOptions {
  /** Why this runtime cannot be had, or shows nothing: then none of its tests runs. */
  readonly skip?: string | undefined;
}

/** Registers the tests that `register` names as steps of one `Deno.test`, over one runtime. */
export function withRuntime(
  name: string,
  register: (test: RegisterTest) => void,
  options: RuntimeOptions = {},
): void {
  if (options.skip !== undefined) {
    // Each by its name, so that a run lists what it has not shown.
    register((title, _body, { skip = options.skip } = {}) =>
      Deno.test.ignore(`${name} ... ${title} (skipped: ${skip})`, () => {})
    );
    return;
  }
  const bodies: {
    readonly title: string;
    readonly body: (runtime: TestRuntime) => Promise<void>;
    readonly ignore: boolean;
  }[] = [];
  register((name, body, { skip } = {}) => {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    bodies.push({ title, body, ignore: skip !== undefined });
  });
  Deno.test(name, async (t) => {
    await using rig = await ContainerdRig.start(options);
    const runtime: TestRuntime = {
      rig,
      agentOptions: () => ({
        runtimeSocket: rig.socketPath,
        podNetwork: rig.podNetwork,
      }),
      untilGone: (uid, agent) => untilGone(rig, { uid, agent }),
    };
    for (const { title, body, ignore } of bodies) {
      const fn = async (): Promise<void> => {
        try {
          await body(runtime);
          await rig.removeAllPods();
        } catch (error) {
          // Deno shows the parts of an AggregateError, and not those of a SuppressedError.
          if (!(error instanceof SuppressedError)) throw error;
          throw new AggregateError(parts(error), "failed, and so did disposal");
        }
      };
      await t.step({ name: title, fn, ignore });
    }
  });
}

/** The errors behind one that only says that there was another while something was disposed of. */
function parts(error: unknown): unknown[] {
  if (!(error instanceof SuppressedError)) return [error];
  return [...parts(error.suppressed), ...parts(error.error)];
}

async function untilGone(
  rig: ContainerdRig,
  pod: { uid: string; agent: AgentProcess },
): Promise<void> {
  let left: readonly string[] = [];
  await waitUntil(`pod "${pod.uid}" gone`, async () => {
    left = await traces(rig, pod);
    return left.length === 0;
  }, { saw: () => left.join(", ") });
}

async function traces(
  rig: ContainerdRig,
  pod: { uid: string; agent: AgentProcess },
): Promise<string[]> {
  const { text } = await rig.tools.ctr([
    "containers",
    "ls",
    `labels."io.kubernetes.pod.uid"==${pod.uid}`,
    "-q",
  ]);
  const containers = text.trim().split("\n").filter((line) => line !== "");
  const found = containers.map((id) => `container ${id}`);
  for (
    const [parent, what] of [
      [`${pod.agent.rootDir}/pods`, "directory"],
      [`${pod.agent.runDir}/pods`, "directory in memory"],
      [pod.agent.podLogsDir, "log directory"],
    ] as const
  ) {
    for (const name of await namesIn(parent)) {
      if (name.includes(pod.uid)) found.push(`${what} ${name}`);
    }
  }
  return found;
}

/** The names in a directory, none when it is not there. */
async function namesIn(path: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** A containerd to run tests on: what to call it, and how its rig is made. */
export interface ContainerdVersion {
  readonly name: string;
  readonly options: RuntimeOptions;
}

/** The machine's own containerd, and the newer one that was fetched for tests. */
export async function containerdVersions(): Promise<
  readonly ContainerdVersion[]
> {
  const containerdPath = await newerContainerd();
  const newer: RuntimeOptions = containerdPath === undefined
    ? { skip: "not fetched: run scripts/install_dependencies.ts" }
    : { containerdPath };
  return [
    { name: "the machine's containerd", options: {} },
    { name: "a newer containerd", options: newer },
  ];
}
