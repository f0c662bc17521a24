/**
 * Settings at their bounds, and just beyond.
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

/** What is wrong with a file of these lines, or with these flags. */
async function faultsOf(
  args: readonly string[],
  file: string,
  hostname: string = "node-1",
): Promise<readonly string[]> {
  const io = { ...fakeIo({ "/c": file }), hostname: () => hostname };
  const parsed = await parseRunArguments(["--config=/c", ...args], io);
  return parsed.kind === "refused" ? parsed.faults : [];
}

/** A path of so many bytes. */
function pathOf(bytes: number): string {
  return `/${"x".repeat(bytes - 1)}`;
}

const WITH_URL = "--manifest-url=http://127.0.0.1/";

for (
  const args of [
    // Behind it stands `.new` while it is made.
    [`--control-socket=${pathOf(103)}`],
    [`--container-runtime-endpoint=${pathOf(107)}`],
    [`--notify-socket=${pathOf(107)}`],
    [`--image-credential-endpoint=${pathOf(107)}`],
    [`--image-credential-endpoint=http://127.0.0.1${pathOf(200)}`],
    // Only where a service manager is, the agent has a socket of its own there.
    [`--run-dir=${pathOf(150)}`, "--control-socket=/s"],
    ["--run-dir=/systemd", "--control-socket=/device/s"],
    ["--file-check-frequency=10ms"],
    ["--http-check-frequency=1ms"],
    ["--http-check-frequency=10ms", WITH_URL],
    ["--watchdog-timeout=10s"],
    ["--healthz-port=65535"],
    ["--image-gc-low-threshold=0"],
    ["--maximum-dead-containers=-1"],
    ["--node-ip=10.0.0.1, fd00::1"],
    ["--hostname-override=" + "a".repeat(253)],
  ]
) {
  Deno.test(`parseRunArguments() takes ${args.join(" ").slice(0, 60)}`, async () => {
    deepStrictEqual(await faultsOf(args, kubeletFile()), []);
  });
}

for (
  const [args, faults] of [
    [[`--control-socket=${pathOf(104)}`], [
      `Cannot use --control-socket: found "${
        pathOf(104)
      }.new" of 108 bytes, wanted at most 107 for a unix socket`,
    ]],
    // Bytes count, not letters.
    [[`--container-runtime-endpoint=/${"ä".repeat(54)}`], [
      `Cannot use --container-runtime-endpoint: found "/${
        "ä".repeat(54)
      }" of 109 bytes, wanted at most 107 for a unix socket`,
    ]],
    [[`--notify-socket=${pathOf(108)}`], [
      `Cannot use --notify-socket: found "${
        pathOf(108)
      }" of 108 bytes, wanted at most 107 for a unix socket`,
    ]],
    [[
      `--run-dir=${pathOf(100)}`,
      "--control-socket=/s",
      "--notify-socket=/n",
    ], [
      `Cannot use --run-dir: found "${
        pathOf(100)
      }/notify.sock" of 112 bytes, wanted at most 107 for a unix socket`,
    ]],
    [["--file-check-frequency=9ms"], [
      "Cannot use fileCheckFrequency: found 9 ms, wanted at least 10 ms",
    ]],
    [["--http-check-frequency=9ms", WITH_URL], [
      "Cannot use httpCheckFrequency: found 9 ms, wanted at least 10 ms",
    ]],
    [["--watchdog-timeout=9999ms"], [
      "Cannot use watchdogTimeout: found 9999 ms, wanted at least 10000 ms",
    ]],
    [["--healthz-port=65536"], [
      'Cannot use --healthz-port: found "65536", wanted a whole number from 0 to 65535',
    ]],
    [["--image-gc-low-threshold=-1"], [
      'Cannot use --image-gc-low-threshold: found "-1", wanted a whole number from 0 to 100',
    ]],
    [["--root-dir=/proc"], [
      'Cannot use --root-dir: found "/proc", which a sandboxed process cannot open',
    ]],
    // What lies in a refused directory is not named again, what lies beside it is.
    [["--root-dir=/sys/a", "--pod-logs-dir=/sys/ab"], [
      'Cannot use --root-dir: found "/sys/a", which a sandboxed process cannot open',
      'Cannot use --pod-logs-dir: found "/sys/ab", which a sandboxed process cannot open',
    ]],
    [["--manifest-url"], [
      'Cannot use --manifest-url: found no value, wanted a URL such as "https://host/manifests.yaml", of scheme http or https',
    ]],
    // Behind a flag that is not known stands its value, and no more than that.
    [["--rot-dir", "/x"], [
      "Cannot use --rot-dir: there is no such flag, did you mean --root-dir",
    ]],
    [["--rot-dir", "/x", "stray"], [
      "Cannot use --rot-dir: there is no such flag, did you mean --root-dir",
      'Cannot use the argument "stray": wanted flags only',
    ]],
    [["stray"], ['Cannot use the argument "stray": wanted flags only']],
    [["-r"], ["Cannot use -r: there is no such flag"]],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${args.join(" ").slice(0, 60)}, and says why`, async () => {
    deepStrictEqual(await faultsOf(args, kubeletFile()), faults);
  });
}

const RESTARTS = "crashLoopBackOff: {maxContainerRestartPeriod: ";

for (
  const line of [
    "runtimeRequestTimeout: 10ms",
    "syncFrequency: 10ms",
    `${RESTARTS}1s}`,
    `${RESTARTS}300s}`,
    "cpuCFSQuotaPeriod: 1ms",
    "cpuCFSQuotaPeriod: 1s",
    "evictionPressureTransitionPeriod: 1s",
    "podPidsLimit: -1",
    "maxParallelImagePulls: 1",
    "maxParallelImagePulls: 1\nserializeImagePulls: true",
    "shutdownGracePeriod: 24h",
    "shutdownGracePeriod: 1s",
    "shutdownGracePeriod: 5s\nshutdownGracePeriodCriticalPods: 5s",
    "shutdownGracePeriodByPodPriority: [{priority: 2147483647, shutdownGracePeriodSeconds: 86400}, {priority: -2147483648}]",
    "cgroupsPerQOS: false\nenforceNodeAllocatable: [none]",
    "cgroupsPerQOS: false\nenforceNodeAllocatable: []",
    "enforceNodeAllocatable: [pods]",
  ]
) {
  Deno.test(`parseRunArguments() takes ${line.replaceAll("\n", ", ")}`, async () => {
    deepStrictEqual(await faultsOf([], kubeletFile(line)), []);
  });
}

for (
  const [line, fault] of [
    ["runtimeRequestTimeout: 9ms", "found 9 ms, wanted at least 10 ms"],
    ["syncFrequency: 9ms", "found 9 ms, wanted at least 10 ms"],
    [`${RESTARTS}999ms}`, "found 999 ms, wanted at least 1000 ms"],
    ["cpuCFSQuotaPeriod: 999us", "found 0.999 ms, wanted at least 1 ms"],
    ["cpuCFSQuotaPeriod: 1001ms", "found 1001 ms, wanted at most 1000 ms"],
    [
      "evictionPressureTransitionPeriod: 999ms",
      "found 999 ms, wanted at least 1000 ms",
    ],
    ["podPidsLimit: -2", "found -2, wanted a whole number of at least -1"],
    [
      "maxParallelImagePulls: 0",
      "found 0, wanted a whole number of at least 1",
    ],
    [
      "serializeImagePulls: true\nmaxParallelImagePulls: 2",
      "found 2 beside serializeImagePulls true, wanted it false",
    ],
    ["shutdownGracePeriod: 999ms", "found 999 ms, wanted 0 or at least 1s"],
    [
      "shutdownGracePeriod: 86400001ms",
      "found 86400001 ms, wanted at most 86400000 ms",
    ],
    [
      "shutdownGracePeriod: 5s\nshutdownGracePeriodCriticalPods: 5s\nshutdownGracePeriodByPodPriority: [{}]",
      "found it beside shutdownGracePeriod or shutdownGracePeriodCriticalPods, wanted one or the other",
    ],
    [
      "shutdownGracePeriodByPodPriority: [{priority: -2147483649}]",
      "wanted a list, each of it a map of priority and shutdownGracePeriodSeconds, both whole numbers",
    ],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${line.replaceAll("\n", ", ")} beyond its bounds`, async () => {
    const faults = await faultsOf([], kubeletFile(line));
    strictEqual(faults.length, 1, faults.join("\n"));
    strictEqual(faults[0]?.endsWith(fault), true, String(faults[0]));
  });
}

for (
  const [line, fault] of [
    ["maxParallelSandboxStarts: 1", undefined],
    ["maxParallelSandboxStarts: 1000", undefined],
    ["maxParallelSandboxStarts: 1001", "wanted a whole number from 1 to 1000"],
    ["maxParallelSandboxStarts: 0", "wanted a whole number from 1 to 1000"],
    ["relistPeriod: 10ms", undefined],
    ["relistPeriod: 9ms", "found 9 ms, wanted at least 10 ms"],
    ["imagePullProgressDeadline: 10s", undefined],
    ["imageCredentialEndpoint: 5", 'http://127.0.0.1:8080/"'],
    ["imageCredentialMatchImages: ['']", "wanted a list, each of it a text"],
    ["podLogsBudget: ''", undefined],
  ] as const
) {
  Deno.test(`parseRunArguments() judges ${line}`, async () => {
    const faults = await faultsOf([], skerryFile(line));
    deepStrictEqual(
      faults.map((each) => each.endsWith(fault ?? "nothing") || each),
      fault === undefined ? [] : [true],
    );
  });
}

for (const path of ["/proc/c", "/dev/c", "/c,d"]) {
  Deno.test(`parseRunArguments() refuses ${path} as its file`, async () => {
    const io = fakeIo({ [path]: kubeletFile() });
    const parsed = await parseRunArguments([`--config=${path}`], io);
    const faults = parsed.kind === "refused" ? parsed.faults : [];
    strictEqual(faults.length, 1, faults.join("\n"));
    strictEqual(
      faults[0]?.startsWith(`Cannot use --config: found "${path}", which `),
      true,
    );
  });
}

Deno.test("parseRunArguments() wants a name of the node when the host's cannot be one", async () => {
  deepStrictEqual(await faultsOf([], kubeletFile(), "a_b"), [
    `--hostname-override: Cannot use the hostname "a_b" as the node's name: wanted a DNS name of at most 253 lower-case letters, digits, hyphens and dots`,
  ]);
  const named = ["--hostname-override=edge"];
  deepStrictEqual(await faultsOf(named, kubeletFile(), "a_b"), []);
});
