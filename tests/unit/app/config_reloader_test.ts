/**
 * Taking up a changed configuration.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ConfigReloader } from "../../../mod/app/config_reloader.ts";
import {
  type LiveConfig,
  parseRunArguments,
  type RunArguments,
} from "../../../mod/config/mod.ts";
import { fakeIo, kubeletFile } from "../../support/config/config_io.ts";
import { fieldsTo } from "../../support/log_lines.ts";

/** Settings of a file with these lines. */
function parsed(...lines: readonly string[]): Promise<RunArguments> {
  const files = { "/c": kubeletFile(...lines) };
  return parseRunArguments(["--config=/c"], fakeIo(files));
}

/** What comes of requests that find these settings; with an error they cannot be read. */
async function reload(...finds: readonly (RunArguments | Error)[]) {
  const started = await parsed();
  if (started.kind === "refused") throw new Error(started.faults.join());
  const applied: LiveConfig[] = [];
  const lines: Record<string, unknown>[] = [];
  const rest = [...finds];
  const over = new Error("over");
  const reloader = new ConfigReloader({
    log: fieldsTo(lines),
    source: {
      requested: () =>
        rest.length > 0 ? Promise.resolve() : Promise.reject(over),
      read: () => {
        const found = rest.shift();
        return found === undefined || found instanceof Error
          ? Promise.reject(found)
          : Promise.resolve(found);
      },
    },
    apply: (live) => void applied.push(live),
  }, started.config);
  const end = await reloader.run(new AbortController().signal)
    .catch((error) => error);
  strictEqual(end, over);
  return {
    levels: applied.map(({ level }) => level),
    said: lines.map(({ level, message }) => `${level} ${message}`),
    lines,
  };
}

Deno.test("ConfigReloader takes up what can change, and names what cannot", async () => {
  const { levels, said, lines } = await reload(
    await parsed("logging: {verbosity: 4}"),
    await parsed("maxPods: 7"),
  );
  deepStrictEqual(levels, ["debug", "info"]);
  deepStrictEqual(said, [
    "info config_reloaded",
    "warn config_needs_restart",
    "info config_reloaded",
  ]);
  deepStrictEqual(lines[1]?.["settings"], ["maxPods"]);
  strictEqual(lines[2]?.["level"], "info");
});

Deno.test("ConfigReloader changes nothing for settings with a fault, or that cannot be read, and goes on", async () => {
  const { levels, said, lines } = await reload(
    await parsed("maxPods: many"),
    new Error("the disk is gone"),
    await parsed("logging: {verbosity: 4}"),
  );
  deepStrictEqual(levels, ["debug"]);
  deepStrictEqual(said, [
    "error config_not_reloaded",
    "error config_not_reloaded",
    "info config_reloaded",
  ]);
  deepStrictEqual(
    lines[0]?.["note"],
    "the configuration from before stays in force",
  );
  strictEqual(`${lines[0]?.["faults"]}`.includes("maxPods"), true);
  strictEqual(`${lines[1]?.["error"]}`.includes("the disk is gone"), true);
});
