/**
 * Looking at a pod of which nothing but starts has changed anything.
 *
 * @module
 */

import type { ObservedContainer } from "../../pod/observed/mod.ts";
import { inspectContainer, withContainers } from "../observe/mod.ts";
import type { SyncOutcome, SyncReport } from "../account/mod.ts";
import type { ExecutorDeps, StartContext } from "./start_context.ts";

/**
 * How long the look before may be added to. After a long hook or pull the other
 * containers of the pod are not known to be as they were; PLEG looks as often as this.
 */
const FRESH_MS = 1_000;

/**
 * The pod as it is now, when only starts have changed it and none took long: then the
 * status of what was started completes the look before. In every other case the caller
 * looks anew.
 *
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function observeStarted(
  deps: ExecutorDeps,
  context: StartContext,
  done: {
    /** The ids of the containers that were started. */
    readonly started: readonly string[];
    /** Since when the rest of the pod is not known anew, on the monotonic clock. */
    readonly sinceMs: number;
    readonly report: SyncReport;
  },
): Promise<SyncOutcome["observed"]> {
  const { pod, observed, plan, sandbox, signal } = context;
  const { started, sinceMs, report } = done;
  if (!report.onlyStarted) return undefined;
  if (deps.clock.monotonic() - sinceMs > FRESH_MS) return undefined;
  const atMs = report.timeAfter();
  const replaced = observed.containers.filter((container) =>
    container.isUnconfirmed
  );
  let containers: readonly (ObservedContainer | undefined)[];
  try {
    containers = await Promise.all([
      ...started.map((id) =>
        inspectContainer(deps, id, { sandboxId: sandbox.id, signal })
      ),
      ...replaced.map((container) => confirmEnd(deps, container, signal)),
    ]);
  } catch {
    // The caller's own look meets the failure, if it lasts.
    signal.throwIfAborted();
    return undefined;
  }
  const found = containers.filter((container) => container !== undefined);
  if (found.length < containers.length) return undefined;
  const { name, namespace } = pod.metadata;
  const base = plan.sandbox.kind === "create"
    ? {
      ...observed,
      name,
      namespace,
      sandboxes: [sandbox.observed],
      ips: sandbox.ips,
    }
    : observed;
  const now = withContainers(base, found);
  const known = await deps.resources.complete(now);
  return { pod: await deps.notes.complete(known), atMs };
}

/**
 * Looks again at a container that was known to have ended before the runtime showed
 * it. By now it does; one that it still takes for running is ended for good, so that
 * it does not run on beside its successor whatever was reported of it (I1).
 */
async function confirmEnd(
  deps: ExecutorDeps,
  { id, sandboxId }: ObservedContainer,
  signal: AbortSignal,
): Promise<ObservedContainer | undefined> {
  const look = () => inspectContainer(deps, id, { sandboxId, signal });
  const seen = await look();
  if (seen?.state !== "running") return seen;
  await deps.runtime.stopContainer(id, 0, { signal });
  return await look();
}
