/**
 * The one list of flags under which every skerry process runs.
 *
 * The launcher, the compiler and the tests take it from here, so that what is
 * tested is what is shipped.
 *
 * @module
 */

import type { Grants } from "../../mod/config/mod.ts";

/**
 * Flags of the JavaScript engine, for memory: what an agent retains is small, what it holds
 * is garbage and compiled code. Measured with 0, 100 and 300 pods, in MB resident:
 *
 * - a small young generation: 82 instead of 138 at a hundred runtime calls a second;
 * - a heap that grows by a fifth before it is collected: 62, 87 and 105 instead of 63, 91
 *   and 155, and 114 instead of 205 after all 300 pods were removed;
 * - no second of the three compilers: 94 instead of 105 at 300, for a quarter more
 *   processor time at 500 probes a second;
 * - the third compiler only for what was called 50,000 times, instead of 3,000: with 10 and
 *   30 pods 65 and 68 instead of 71 and 74, 67 instead of 71 after all were removed;
 * - `gc()` for when the work is done (`mod/app/idle_memory.ts`): 60, 73 and 80, and 81.
 */
export const V8_FLAGS: readonly string[] = [
  "--max-semi-space-size=1",
  "--heap-growing-percent=20",
  "--no-maglev",
  "--invocation-count-for-turbofan=50000",
  "--expose-gc",
];

/**
 * Those for a device with little memory: no optimizing compiler at all, for a third more
 * processor time under load.
 */
export const SMALL_V8_FLAGS: readonly string[] = [
  ...V8_FLAGS,
  "--no-turbofan",
];

/**
 * Flags of an executable besides those of its grants.
 *
 * An executable would keep V8's code cache as `deno-compile-<name>.cache` in the temp
 * directory: another user may take that name first, and root
 * would run that user's code. The file is gone after a boot, too, and a start that makes
 * it anew needs 40 MB more for good and twice the time of one without.
 */
export const COMPILED_FLAGS: readonly string[] = ["--no-code-cache"];

/**
 * Features of Deno that are not stable yet and open nothing by themselves: `net` has the
 * datagram sockets by which the service manager is told (`mod/host/clients/notify_socket.ts`).
 */
export const FEATURE_FLAGS: readonly string[] = ["--unstable-net"];

/** Grants as flags of `deno run` and `deno compile`. */
export function grantsToFlags(grants: Grants): string[] {
  return [
    "--no-prompt",
    // Libraries read a dozen variables; they see none, instead of failing.
    "--ignore-env",
    ...Object.entries(grants).flatMap(([kind, each]) => allow(kind, each)),
    // Code from elsewhere is allowed from seven hosts unless it is denied.
    "--deny-import",
  ];
}

function allow(kind: string, grants: Grants["read"]): string[] {
  // Without a list the flag would grant everything.
  return grants.length === 0
    ? []
    : [`--allow-${kind}=${grants.map(({ target }) => target).join(",")}`];
}
