/**
 * What a service manager needs to run the agent. Pure.
 *
 * @example The unit of an agent
 * ```ts
 * import { match } from "node:assert/strict";
 * import { parseRunArguments } from "../../config/mod.ts";
 * import { systemdUnit } from "./mod.ts";
 *
 * const read = await parseRunArguments([], {
 *   cwd: () => "/",
 *   hostname: () => "edge1",
 *   readTextFile: () => Promise.reject(new Error("there is no file")),
 * });
 * if (read.kind === "ok") {
 *   const unit = systemdUnit(read.config, { path: "/usr/bin/skerry", args: [] });
 *   match(unit, /^ExecStart=\/usr\/bin\/skerry run$/m);
 * }
 * ```
 *
 * @module
 */

export { systemdUnit, type UnitProgram } from "./systemd_unit.ts";
