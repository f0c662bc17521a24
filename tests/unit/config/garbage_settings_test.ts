/**
 * Settings about images and dead containers, and what contradicts itself.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import {
  fakeIo,
  kubeletFile,
  skerryFile,
} from "../../support/config/config_io.ts";

async function parsed(args: readonly string[], ...lines: readonly string[]) {
  const files = { "/c": kubeletFile(...lines) };
  return await parseRunArguments(["--config=/c", ...args], fakeIo(files));
}

Deno.test("parseRunArguments() takes thresholds and ages of images from file and flags", async () => {
  const result = await parsed(
    ["--image-gc-low-threshold=60"],
    "imageGCHighThresholdPercent: 70",
    "imageGCLowThresholdPercent: 65",
    "imageMinimumGCAge: 1m",
    "imageMaximumGCAge: 168h",
  );
  deepStrictEqual(result.kind === "ok" && result.config.imageCollection, {
    highThresholdPercent: 70,
    lowThresholdPercent: 60,
    minimumAgeMs: 60_000,
    maximumAgeMs: 604_800_000,
  });
});

for (
  const [args, lines, fault] of [
    [
      ["--image-gc-high-threshold=80"],
      [],
      "Cannot use imageGCLowThresholdPercent: found 80 beside imageGCHighThresholdPercent 80, wanted it lower than that",
    ],
    [
      [],
      ["imageGCLowThresholdPercent: 90"],
      "Cannot use imageGCLowThresholdPercent: found 90 beside imageGCHighThresholdPercent 85, wanted it lower than that",
    ],
    [
      [],
      ["imageMaximumGCAge: 2m"],
      "Cannot use imageMaximumGCAge: found 2m0s beside imageMinimumGCAge 2m0s, wanted it longer than that, or 0s for none",
    ],
    [
      ["--image-gc-high-threshold=101"],
      [],
      'Cannot use --image-gc-high-threshold: found "101", wanted a whole number from 0 to 100',
    ],
    [
      [],
      ["imageMinimumGCAge: -1s"],
      '/c:3: Cannot use imageMinimumGCAge: found "-1s", wanted a duration such as "20s" or "1m30s"',
    ],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${[...args, ...lines].join(", ")}`, async () => {
    const result = await parsed(args, ...lines);
    deepStrictEqual(result.kind === "refused" && result.faults, [fault]);
  });
}

Deno.test("parseRunArguments() takes a longest age that is longer than the shortest, and a threshold of 100", async () => {
  const result = await parsed(
    ["--minimum-image-ttl-duration=1m", "--image-gc-high-threshold=100"],
    "imageMaximumGCAge: 61s",
  );
  strictEqual(result.kind, "ok");
});

Deno.test("parseRunArguments() takes how many dead containers stay, from flags and file", async () => {
  const flags = await parsed([
    "--minimum-container-ttl-duration=1m",
    "--maximum-dead-containers-per-container=-1",
    "--maximum-dead-containers=240",
  ]);
  deepStrictEqual(flags.kind === "ok" && flags.config.deadContainers, {
    minimumAgeMs: 60_000,
    perContainer: -1,
    total: 240,
  });
  const file = await parseRunArguments(
    ["--config=/c"],
    fakeIo({
      "/c": skerryFile(
        "minimumContainerTTLDuration: 5s",
        "maximumDeadContainersPerContainer: 0",
        "maximumDeadContainers: 0",
      ),
    }),
  );
  deepStrictEqual(file.kind === "ok" && file.config.deadContainers, {
    minimumAgeMs: 5_000,
    perContainer: 0,
    total: 0,
  });
  const refused = await parsed(["--maximum-dead-containers=-2"]);
  deepStrictEqual(refused.kind === "refused" && refused.faults, [
    'Cannot use --maximum-dead-containers: found "-2", wanted a whole number of at least -1',
  ]);
});
