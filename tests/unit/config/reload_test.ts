/**
 * Which settings of a configuration that is read again need a restart.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { changesAtRestart, liveConfig } from "../../../mod/config/reload.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo, kubeletFile } from "../../support/config/config_io.ts";

async function configOf(args: readonly string[], file?: string) {
  const files = file === undefined ? {} : { "/c.yaml": file };
  const all = file === undefined ? args : [...args, "--config=/c.yaml"];
  const parsed = await parseRunArguments(all, fakeIo(files));
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  return parsed.config;
}

for (
  const [before, after, wanted] of [
    [[], [], []],
    [["--root-dir=/a"], ["--root-dir=/a"], []],
    [[], ["--run-dir=/r"], ["--run-dir", "--control-socket"]],
    [["--node-labels=a=b"], ["--node-labels=a=c"], ["--node-labels"]],
    [["--node-labels=a=b,c=d"], ["--node-labels=a=b,c=e"], ["--node-labels"]],
    [["--node-labels=a=b,c=d"], ["--node-labels=c=d"], ["--node-labels"]],
    [["--node-labels=c=d"], ["--node-labels=a=b,c=d"], ["--node-labels"]],
    [["--node-labels=a=b,c=d"], ["--node-labels=c=d,a=b"], []],
    [
      ["--pod-network=10.1.0.0/16"],
      ["--pod-network=10.1.0.0/16", "--pod-network=10.2.0.0/16"],
      ["--pod-network"],
    ],
    [
      ["--pod-network=10.1.0.0/16,10.2.0.0/16"],
      ["--pod-network=10.1.0.0/16"],
      ["--pod-network"],
    ],
    [
      ["--pod-network=10.1.0.0/16,10.2.0.0/16"],
      ["--pod-network=10.1.0.0/16,10.3.0.0/16"],
      ["--pod-network"],
    ],
    [
      ["--manifest-url=http://a:secret@h/"],
      ["--manifest-url=http://a:other@h/"],
      ["--manifest-url-header"],
    ],
    [[], ["--healthz-port=1"], ["--healthz-port"]],
  ] as const
) {
  Deno.test(`changesAtRestart() of "${before.join(" ")}" and "${after.join(" ")}"`, async () => {
    const named = changesAtRestart(
      await configOf(before),
      await configOf(after),
    );
    deepStrictEqual(named.toSorted(), wanted.toSorted());
  });
}

Deno.test("changesAtRestart() names the file that the settings are from, and a setting without a flag", async () => {
  const before = await configOf([]);
  const after = await configOf([], kubeletFile("maxPods: 7"));
  deepStrictEqual(changesAtRestart(before, after), ["configPath", "maxPods"]);
});

Deno.test("changesAtRestart() names a manifest URL that came or went", async () => {
  const without = await configOf([]);
  const withUrl = await configOf(["--manifest-url=http://h/"]);
  deepStrictEqual(
    [
      changesAtRestart(without, withUrl).includes("--manifest-url"),
      changesAtRestart(withUrl, without).includes("--manifest-url"),
    ],
    [true, true],
  );
});

Deno.test("liveConfig() has what counts at once, and it needs no restart", async () => {
  const before = await configOf([], kubeletFile("maxPods: 110"));
  const after = await configOf(
    [],
    kubeletFile("shutdownGracePeriod: 5s\nlogging:\n  verbosity: 4"),
  );
  deepStrictEqual(changesAtRestart(before, after), []);
  deepStrictEqual(liveConfig(after), {
    level: "debug",
    shutdownGroups: [
      { priority: 0, graceSeconds: 5 },
      { priority: 2_000_000_000, graceSeconds: 0 },
    ],
  });
});
