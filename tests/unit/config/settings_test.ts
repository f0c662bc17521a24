/**
 * The table of settings, and where a value comes from.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  completeSettings,
  namedPaths,
  ROWS,
} from "../../../mod/config/complete_settings.ts";
import { LOCATION_FLAG_NAMES, RUN_FLAGS } from "../../../mod/config/flags.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { switchText } from "../../../mod/config/decoders.ts";
import { optionOf } from "../../../mod/config/setting.ts";
import { fakeIo } from "../../support/config/config_io.ts";

Deno.test("SETTINGS names each flag once, with its help", () => {
  const names = RUN_FLAGS.map(({ flag }) => flag.name);
  strictEqual(new Set(names).size, names.length);
  for (const { flag, help } of RUN_FLAGS) {
    const isSwitch = flag.decoder === switchText;
    strictEqual(flag.argument === "", isSwitch, flag.name);
    ok(help !== "", flag.name);
  }
  for (const name of LOCATION_FLAG_NAMES) ok(names.includes(name), name);
});

Deno.test("SETTINGS can be given: each row has a flag or a field", () => {
  for (const { part, key, setting } of ROWS) {
    ok(optionOf(setting) !== "", `${part}.${key}`);
  }
});

Deno.test("SETTINGS shows a default as the flag would be given it", () => {
  const shown = ROWS.flatMap(({ setting }) => {
    const { flag, help = "", fallback } = setting;
    if (flag === undefined || !help.includes("{default}")) return [];
    const said = RUN_FLAGS.find((each) => each.flag === flag)?.help ?? "";
    const value = /\(default ([^()]+)\)$/.exec(said)?.[1];
    deepStrictEqual(flag.decoder.decode(value, "/"), fallback);
    return [`${flag.name} ${value}`];
  });
  deepStrictEqual(shown, [
    "root-dir /var/lib/skerry",
    "pod-manifest-path /etc/skerry/manifests",
    "file-check-frequency 20s",
    "http-check-frequency 20s",
    "container-runtime-endpoint unix:///run/containerd/containerd.sock",
    "pod-logs-dir /var/log/pods",
    "image-pull-progress-deadline 5m0s",
    "unknown-fields refuse",
    "keep-secrets memory",
    "healthz-port 10248",
    "watchdog-timeout 3m0s",
    "image-gc-high-threshold 85",
    "image-gc-low-threshold 80",
    "minimum-image-ttl-duration 2m0s",
    "minimum-container-ttl-duration 0s",
    "maximum-dead-containers-per-container 1",
    "maximum-dead-containers -1",
  ]);
  for (const { flag, help } of RUN_FLAGS) ok(!help.includes("{"), flag.name);
});

Deno.test("completeSettings() takes the flag, then skerry's field, then the kubelet's, then the default", () => {
  const flags = new Map<string, unknown>([["pod-network", ["10.1.0.0/16"]]]);
  const skerry = new Map<string, unknown>([["podNetworks", ["10.2.0.0/16"]]]);
  const kubelet = new Map<string, unknown>([["podCIDR", ["10.3.0.0/16"]]]);
  const none = new Map<string, unknown>();
  for (
    const [given, wanted] of [
      [{ flags, skerry, kubelet }, ["10.1.0.0/16"]],
      [{ flags: none, skerry, kubelet }, ["10.2.0.0/16"]],
      [{ flags: none, skerry: none, kubelet }, ["10.3.0.0/16"]],
      [{ flags: none, skerry: none, kubelet: none }, []],
    ] as const
  ) deepStrictEqual(completeSettings(given).node.podNetworks, wanted);
});

Deno.test("namedPaths() names every path with the option that changes it", async () => {
  const parsed = await parseRunArguments([
    "--manifest-url=https://h/",
    "--manifest-url-ca-file=/pki/ca.pem",
    "--host-path-roots=/srv,/mnt",
  ], fakeIo());
  ok(parsed.kind === "ok");
  deepStrictEqual(
    namedPaths(parsed.config).map(({ option, path, access }) =>
      `${access} ${path} ${option}`
    ),
    [
      "write /var/lib/skerry --root-dir",
      "write /run/skerry --run-dir",
      "write /run/skerry/skerry.sock --control-socket",
      "read /etc/skerry/manifests --pod-manifest-path",
      "read /pki/ca.pem --manifest-url-ca-file",
      "write /run/containerd/containerd.sock --container-runtime-endpoint",
      "write /run/containerd/containerd.sock imageServiceEndpoint",
      "write /var/log/pods --pod-logs-dir",
      "write /srv --host-path-roots",
      "write /mnt --host-path-roots",
      "read /etc/resolv.conf resolvConf",
    ],
  );
});

const SWITCHES: readonly (readonly [readonly string[], boolean | string])[] = [
  [[], false],
  [["--hosts-of-services"], true],
  [["--hosts-of-services", "--healthz-port=0"], true],
  [["--hosts-of-services=true"], true],
  [["--hosts-of-services=false"], false],
  [["--hosts-of-services", "--hosts-of-services=false"], false],
  [
    ["--hosts-of-services=yes"],
    'Cannot use --hosts-of-services: found "yes", wanted "true" or "false"',
  ],
  [
    ["--hosts-of-services="],
    'Cannot use --hosts-of-services: found "", wanted "true" or "false"',
  ],
  [
    ["--hosts-of-services", "true"],
    'Cannot use the argument "true": wanted flags only',
  ],
];

for (const [args, expected] of SWITCHES) {
  Deno.test(`parseRunArguments() reads a switch: ${args.join(" ")}`, async () => {
    const parsed = await parseRunArguments(args, fakeIo({}));
    const found = parsed.kind === "ok"
      ? parsed.config.node.hostsOfServices
      : parsed.faults.join();
    strictEqual(found, expected);
  });
}

for (
  const [written, given, expected] of [
    ["true", [], true],
    ["false", [], false],
    ["false", ["--hosts-of-services"], true],
    ["true", ["--hosts-of-services=false"], false],
  ] as const
) {
  Deno.test(`parseRunArguments() reads hostsOfServices: ${written} with ${given.length} flags as ${expected}`, async () => {
    const file = [
      "apiVersion: skerry.dev/v1alpha1",
      "kind: SkerryConfiguration",
      `hostsOfServices: ${written}`,
    ].join("\n");
    const parsed = await parseRunArguments(
      ["--config=/c.yaml", ...given],
      fakeIo({ "/c.yaml": file }),
    );
    ok(parsed.kind === "ok");
    strictEqual(parsed.config.node.hostsOfServices, expected);
  });
}
