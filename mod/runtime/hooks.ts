/**
 * The hooks that a container runs after its start and before its end.
 *
 * @module
 */

import type { LifecycleHandler } from "../api/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { RuntimeService } from "../cri/mod.ts";

/**
 * Runs one hook in a container to its end, however long it takes.
 *
 * @throws {Error} When the hook failed, or is of a kind that cannot be run.
 * @throws {CriError} When the runtime could not run it.
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function runHook(
  deps: {
    readonly runtime: Pick<RuntimeService, "execSync">;
    readonly clock: Clock;
  },
  hook: LifecycleHandler,
  target: { readonly containerId: string; readonly signal: AbortSignal },
): Promise<void> {
  const { containerId, signal } = target;
  if (hook.exec !== undefined) {
    const command = hook.exec.command ?? [];
    const result = await deps.runtime.execSync(containerId, command, {
      signal,
      timeoutSeconds: 0,
    });
    if (result.exitCode === 0) return;
    throw new Error(
      `Cannot run the hook: its command ended with "${result.exitCode}", wanted 0`,
    );
  }
  if (hook.sleep !== undefined) {
    return await deps.clock.sleep(hook.sleep.seconds * 1000, signal);
  }
  const kind = Object.keys(hook)[0] ?? "";
  throw new Error(
    `Cannot run the hook: its kind is "${kind}", wanted exec or sleep`,
  );
}
