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
 * Flags of the JavaScript engine.
 *
 * A small young generation keeps the memory under load near that of an idle
 * agent: 82 MB instead of 138 MB at a hundred runtime calls a second.
 */
export const V8_FLAGS: readonly string[] = ["--max-semi-space-size=1"];

/**
 * Flags of an executable besides those of its grants.
 *
 * An executable would keep V8's code cache as `deno-compile-<name>.cache` in the temp
 * directory: another user may take that name first, and root
 * would run that user's code. The file is gone after a boot, too, and a start that makes
 * it anew needs 40 MB more for good and twice the time of one without.
 */
export const COMPILED_FLAGS: readonly string[] = ["--no-code-cache"];

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
