/**
 * The settings about images.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { AgentConfig } from "../../../mod/config/agent_config.ts";
import { deriveGrants } from "../../../mod/config/grants.ts";
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

for (
  const [lines, limits] of [
    [[], [5, 10]],
    [["registryPullQPS: 0"], [0, 10]],
    [["registryPullQPS: 2", "registryBurst: 1"], [2, 1]],
    // As upstream: a burst that is not given, and a pointer that is.
    [["registryPullQPS: null", "registryBurst: 0"], [5, 10]],
  ] as const
) {
  Deno.test(`parseRunArguments() begins ${limits} pulls a second and at once with ${lines.join(", ") || "defaults"}`, async () => {
    const { images } = await configOf(...lines);
    deepStrictEqual([images.pullsPerSecond, images.pullBurst], limits);
  });
}

for (
  const [given, ms] of [
    ["0s", 0],
    ["10s", 10_000],
    ["1h", 3_600_000],
  ] as const
) {
  Deno.test(`--image-pull-progress-deadline=${given} is ${ms} ms`, async () => {
    const flag = `--image-pull-progress-deadline=${given}`;
    const parsed = await parseRunArguments([flag], fakeIo());
    ok(parsed.kind === "ok", JSON.stringify(parsed));
    strictEqual(parsed.config.images.progressDeadlineMs, ms);
  });
}

for (const given of ["9s", "1ms"]) {
  Deno.test(`--image-pull-progress-deadline=${given} is refused, with what is wanted`, async () => {
    const flag = `--image-pull-progress-deadline=${given}`;
    const parsed = await parseRunArguments([flag], fakeIo());
    ok(parsed.kind === "refused");
    deepStrictEqual(parsed.faults, [
      `Cannot use imagePullProgressDeadline: found ${given}, wanted at least 10s, or 0s for none`,
    ]);
  });
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
  const [given, endpoint, grant] of [
    ["unix:///run/x.sock", "/run/x.sock", "unix:/run/x.sock"],
    ["/run/x.sock", "/run/x.sock", "unix:/run/x.sock"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "127.0.0.1:8080"],
    ["http://127.8.0.1/p?q=1", "http://127.8.0.1/p?q=1", "127.8.0.1:80"],
    ["http://[::1]:8080/p", "http://[::1]:8080/p", "[::1]:8080"],
  ] as const
) {
  Deno.test(`--image-credential-endpoint=${given} opens ${grant} and nothing more`, async () => {
    const flag = `--image-credential-endpoint=${given}`;
    const parsed = await parseRunArguments([flag], fakeIo());
    const plain = await parseRunArguments([], fakeIo());
    ok(parsed.kind === "ok" && plain.kind === "ok");
    strictEqual(parsed.config.images.credentialEndpoint, endpoint);
    const more = (kind: "read" | "write" | "net"): string[] => {
      const before = deriveGrants(plain.config, [])[kind];
      return deriveGrants(parsed.config, [])[kind]
        .map(({ target }) => target)
        .filter((target) => before.every((each) => each.target !== target));
    };
    const paths = endpoint.startsWith("/") ? [endpoint] : [];
    deepStrictEqual([more("net"), more("read"), more("write")], [
      [grant],
      paths,
      paths,
    ]);
  });
}

for (
  const url of [
    "",
    "x.sock",
    "https://127.0.0.1/",
    "http://192.168.1.5/",
    "http://localhost/",
    "http://me:secret@127.0.0.1/",
    "http://me@127.0.0.1/",
    "http://:secret@127.0.0.1/",
    "http://127.0.0.1/#secret",
    "http://127.0.0.1.example/",
    "ftp://127.0.0.1/",
    `unix:///${"x".repeat(107)}`,
  ]
) {
  Deno.test(`parseRunArguments() refuses --image-credential-endpoint=${url.slice(0, 40)}`, async () => {
    const flag = `--image-credential-endpoint=${url}`;
    const parsed = await parseRunArguments([flag], fakeIo());
    ok(parsed.kind === "refused");
    strictEqual(parsed.faults.length, 1, parsed.faults.join("\n"));
    ok(parsed.faults[0]?.includes("--image-credential-endpoint"));
    ok(!parsed.faults[0]?.includes("secret"));
  });
}

for (
  const [line, fault] of [
    [
      "imagePullCredentialsVerificationPolicy: Sometimes",
      'one of "NeverVerify", "NeverVerifyPreloadedImages"',
    ],
    [
      "registryPullQPS: -1",
      "Cannot use registryPullQPS: found -1, wanted a whole number of at least 0",
    ],
    ["registryPullQPS: 0.5", "Cannot use registryPullQPS: found 0.5, wanted"],
    ["registryBurst: -1", "Cannot use registryBurst: found -1, wanted"],
    ["registryBurst: many", 'Cannot use registryBurst: found "many", wanted'],
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
