/**
 * The settings of the logs of containers.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo, kubeletFile } from "../../support/config/config_io.ts";

async function parse(...lines: readonly string[]) {
  const files = { "/c": kubeletFile(...lines) };
  return await parseRunArguments(["--config=/c"], fakeIo(files));
}

for (
  const [line, key, wanted] of [
    ["containerLogMaxSize: 40Ki", "maxSizeBytes", 40 * 1024],
    ["containerLogMaxSize: 5000", "maxSizeBytes", 5_000],
    ['containerLogMaxSize: "0.5"', "maxSizeBytes", 1],
    ["containerLogMaxSize: -1", "maxSizeBytes", Infinity],
    ['containerLogMaxSize: ""', "maxSizeBytes", 10 * 1024 * 1024],
    ["containerLogMaxFiles: 2", "maxFiles", 2],
    ["containerLogMaxWorkers: 4", "maxWorkers", 4],
    ["containerLogMonitorInterval: 3s", "monitorIntervalMs", 3_000],
  ] as const
) {
  Deno.test(`parseRunArguments() takes ${line}`, async () => {
    const parsed = await parse(line);
    ok(parsed.kind === "ok");
    strictEqual(parsed.config.podLogs[key], wanted);
  });
}

for (
  const [line, found] of [
    [
      'containerLogMaxSize: "0"',
      /containerLogMaxSize.*wanted a size such as "10Mi"/,
    ],
    [
      "containerLogMaxSize: big",
      /containerLogMaxSize.*wanted a size such as "10Mi"/,
    ],
    [
      "containerLogMaxSize: [1]",
      /containerLogMaxSize.*wanted a size such as "10Mi"/,
    ],
    ["containerLogMaxFiles: 1", /containerLogMaxFiles.*of at least 2/],
    ["containerLogMaxFiles: 0", /containerLogMaxFiles.*of at least 2/],
    [
      "containerLogMonitorInterval: 2s",
      /found 2000 ms, wanted at least 3000 ms/,
    ],
    ["containerLogMaxWorkers: 0", /containerLogMaxWorkers.*of at least 1/],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${line}`, async () => {
    const parsed = await parse(line);
    ok(parsed.kind !== "ok");
    match(JSON.stringify(parsed).replaceAll("\\", ""), found);
  });
}

for (
  const [flags, lines, wanted] of [
    [["--pod-logs-budget=500Mi"], [], 500 * 1024 * 1024],
    [["--pod-logs-budget=1000000"], ["containerLogMaxSize: 1M"], 1_000_000],
    [[], [], undefined],
  ] as const
) {
  Deno.test(`parseRunArguments() takes "${flags}" for the budget`, async () => {
    const files = { "/c": kubeletFile(...lines) };
    const parsed = await parseRunArguments(
      ["--config=/c", ...flags],
      fakeIo(files),
    );
    ok(parsed.kind === "ok");
    strictEqual(parsed.config.podLogs.budgetBytes, wanted);
  });
}

for (
  const [flag, line, found] of [
    ["--pod-logs-budget=0", "", /wanted a size such as "500Mi"/],
    ["--pod-logs-budget=-1", "", /wanted a size such as "500Mi"/],
    ["--pod-logs-budget=9Mi", "", /found 9437184 bytes, wanted at least/],
    [
      "--pod-logs-budget=1Gi",
      "containerLogMaxSize: -1",
      /found containerLogMaxSize negative/,
    ],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${flag} beside "${line}"`, async () => {
    const files = { "/c": kubeletFile(line) };
    const parsed = await parseRunArguments(
      ["--config=/c", flag],
      fakeIo(files),
    );
    ok(parsed.kind !== "ok");
    match(JSON.stringify(parsed).replaceAll("\\", ""), found);
  });
}
