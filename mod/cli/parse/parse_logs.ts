/**
 * Reads the arguments of `logs`.
 *
 * @module
 */

import type { CommandResult } from "./command.ts";
import { readOptions } from "./options.ts";
import { namespaceOf, ok, refused, superfluous } from "./parse_result.ts";

/** Reads what stands behind `logs`. */
export function parseLogs(args: readonly string[]): CommandResult {
  const options = readOptions(args, {
    location: true,
    texts: { namespace: "n", container: "c", tail: undefined },
    switches: { follow: "f", previous: "p", timestamps: undefined },
  });
  const faults = [...options.faults];
  const [pod, container, ...rest] = options.positionals;
  if (pod === undefined) faults.push("Cannot show a log: wanted a pod's name");
  faults.push(...superfluous(rest));
  const named = options.texts.get("container");
  if (named !== undefined && container !== undefined) {
    faults.push(
      `Cannot show the log of "${container}" and of "${named}": wanted one container`,
    );
  }
  const tail = options.texts.get("tail");
  // As with kubectl, -1 stands for all lines.
  if (tail !== undefined && !/^(?:-1|\d{1,15})$/.test(tail)) {
    faults.push(
      `Cannot use --tail: found "${tail}", wanted a whole number of at least 0`,
    );
  }
  if (pod === undefined || faults.length > 0) return refused("logs", faults);
  return ok({
    kind: "logs",
    location: options.location,
    pod: pod.replace(/^pods?\//, ""),
    namespace: namespaceOf(options),
    container: named ?? container,
    follow: options.switches.has("follow"),
    previous: options.switches.has("previous"),
    timestamps: options.switches.has("timestamps"),
    tailLines: tail === undefined || tail === "-1" ? undefined : Number(tail),
  });
}
