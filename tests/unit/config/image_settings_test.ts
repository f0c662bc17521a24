/**
 * The settings about images.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { AgentConfig } from "../../../mod/config/agent_config.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo } from "../../support/config/config_io.ts";

/** What a KubeletConfiguration of these lines comes to. */
async function read(...lines: readonly string[]) {
  const text = [
    "apiVersion: kubelet.config.k8s.io/v1beta1",
    "kind: KubeletConfiguration",
    ...lines,
  ].join("\n");
  return await parseRunArguments(["--config=/c"], fakeIo({ "/c": text }));
}

async function configOf(...lines: readonly string[]): Promise<AgentConfig> {
  const parsed = await read(...lines);
  ok(parsed.kind === "ok", JSON.stringify(parsed));
  return parsed.config;
}

Deno.test("parseRunArguments() reads when images are asked for again", async () => {
  const { images } = await configOf(
    "imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages",
    "preloadedImagesVerificationAllowlist: [r.example/a, 'r.example:5000/b/*', localhost/c, 'r.example/*']",
  );
  deepStrictEqual(
    [images.verificationPolicy, images.verificationAllowlist],
    ["NeverVerifyAllowlistedImages", [
      ...["r.example/a", "r.example:5000/b/*", "localhost/c", "r.example/*"],
    ]],
  );
});

for (
  const [line, fault] of [
    [
      "imagePullCredentialsVerificationPolicy: Sometimes",
      'one of "NeverVerify", "NeverVerifyPreloadedImages"',
    ],
    [
      "preloadedImagesVerificationAllowlist: [r.example/x]",
      "found it beside imagePullCredentialsVerificationPolicy NeverVerifyPreloadedImages, wanted that NeverVerifyAllowlistedImages",
    ],
    ...[
      "''",
      "x",
      "r.example",
      "r.example/x:1",
      "r.example/x@sha256:0",
      "r.example/X",
      "r.example/*/x",
      "r.example/x*",
      "'*'",
      "'/*'",
      "'r.example/x '",
      "5",
    ].map((pattern) =>
      [
        `preloadedImagesVerificationAllowlist: [${pattern}]`,
        "wanted a list, each of it a repository such as",
      ] as const
    ),
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${line}`, async () => {
    const parsed = await read(line);
    ok(parsed.kind === "refused");
    strictEqual(parsed.faults.length, 1, parsed.faults.join("\n"));
    ok(parsed.faults[0]?.includes(fault), String(parsed.faults[0]));
  });
}

for (
  const [lines, pulls] of [
    [[], 5],
    [["maxParallelImagePulls: 1"], 1],
    [["maxParallelImagePulls: 3"], 3],
    [["serializeImagePulls: false"], 5],
    [["serializeImagePulls: false", "maxParallelImagePulls: 2"], 2],
    [["serializeImagePulls: true"], 1],
  ] as const
) {
  Deno.test(`parseRunArguments() pulls ${pulls} images at a time with ${lines.join(", ") || "defaults"}`, async () => {
    const config = await configOf(...lines);
    strictEqual(config.runtime.parallelPulls, pulls);
  });
}
