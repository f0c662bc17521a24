/**
 * The permissions that the launcher gives to each command.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { V8_FLAGS } from "../../../scripts/lib/launch_flags.ts";
import { flagsOf, grantsForArguments } from "../../../scripts/permissions.ts";
import { lockFaults } from "../../../scripts/compile.ts";
import type { BakedMetadata } from "../../../scripts/lib/baked_metadata.ts";
import type { Grants } from "../../../mod/config/mod.ts";

const IO = {
  cwd: () => "/here",
  hostname: () => "n1",
  readTextFile: () => Promise.reject(new Deno.errors.NotFound("No such file")),
};
const ADDRESSES = () => ["192.168.1.5"];

async function flags(line: string): Promise<readonly string[]> {
  const result = await grantsForArguments(line.split(" "), IO, ADDRESSES);
  if (result.kind === "refused") throw new Error(result.faults.join("\n"));
  return flagsOf(result.grants);
}

const BARE = [
  "--no-prompt",
  "--ignore-env",
  "--deny-import",
  "--unstable-net",
  `--v8-flags=${V8_FLAGS.join(",")}`,
];

for (
  const line of [
    "version",
    "run --help",
    "help",
    "validate -",
    "kubelet --version",
    "kubelet --help",
  ]
) {
  Deno.test(`grantsForArguments() gives "${line}" nothing`, async () => {
    deepStrictEqual(await flags(line), BARE);
  });
}

Deno.test("grantsForArguments() gives an agent in the kubelet's place what it gives that of run", async () => {
  deepStrictEqual(
    await flags(`kubelet --max-pods=9 --pod-manifest-path=m`),
    await flags(
      `run --root-dir=/var/lib/kubelet --run-dir=/run/skerry --pod-manifest-path=m`,
    ),
  );
  const refused = await grantsForArguments(["kubelet", "--x"], IO, ADDRESSES);
  deepStrictEqual(refused, {
    kind: "refused",
    topic: "kubelet",
    faults: ["Cannot use --x: there is no such flag"],
  });
});

Deno.test("grantsForArguments() gives clients their socket", async () => {
  const wanted = [
    ...BARE.slice(0, 2),
    "--allow-read=/here/x/run/skerry.sock",
    "--allow-write=/here/x/run/skerry.sock",
    "--allow-net=unix:/here/x/run/skerry.sock",
    ...BARE.slice(2),
  ];
  for (const command of ["get pods", "logs web -f", "metrics"]) {
    deepStrictEqual(await flags(`${command} --root-dir x`), wanted);
  }
});

for (
  const [line, read, write] of [
    [
      "scale deploy a --replicas=1",
      "/etc/skerry/manifests",
      "/etc/skerry/manifests",
    ],
    [
      "scale deploy a --replicas=1 --dry-run=client",
      "/etc/skerry/manifests",
      "",
    ],
    [
      "apply -f a.yaml --pod-manifest-path=m",
      "/here/a.yaml,/here/m",
      "/here/m",
    ],
    ["apply -f - --pod-manifest-path=m", "/here/m", "/here/m"],
    ["diff -f a.yaml --pod-manifest-path=m", "/here/a.yaml,/here/m", ""],
    ["delete deploy a --pod-manifest-path=/m", "/m", "/m"],
    ["rollout undo deploy a --pod-manifest-path=/m", "/m", "/m"],
    ["rollout status deploy a --pod-manifest-path=/m", "/m", ""],
    ["rollout history deploy a --pod-manifest-path=/m", "/m", ""],
  ] as const
) {
  Deno.test(`grantsForArguments() gives "${line}" the folder, and to write only what writes`, async () => {
    const socket = "/here/x/run/skerry.sock";
    const of = (paths: string) =>
      [socket, ...paths.split(",")].filter((each) => each !== "").join(",");
    deepStrictEqual(await flags(`${line} --root-dir x`), [
      ...BARE.slice(0, 2),
      `--allow-read=${of(read)}`,
      `--allow-write=${of(write)}`,
      `--allow-net=unix:${socket}`,
      ...BARE.slice(2),
    ]);
  });
}

Deno.test("grantsForArguments() gives install the hostname and nothing else", async () => {
  deepStrictEqual(
    await flags("install --root-dir=/x --pod-network=10.1.0.0/16"),
    [
      ...BARE.slice(0, 2),
      "--allow-sys=hostname",
      ...BARE.slice(2),
    ],
  );
});

Deno.test("grantsForArguments() gives validate its files, from the caller's directory", async () => {
  const given = await flags("validate a.yaml /b ../c -");
  ok(given.includes("--allow-read=/here/a.yaml,/b,/c"));
  ok(!given.some((flag) => /^--allow-(?:write|net|sys)/.test(flag)));
});

Deno.test("grantsForArguments() gives run its paths and the node's addresses", async () => {
  const given = await flags("run --root-dir=state --pod-network=10.1.0.0/16");
  const net = given.find((flag) => flag.startsWith("--allow-net="));
  ok(net?.includes("10.1.0.0/16,192.168.1.5"), String(net));
  const write = given.find((flag) => flag.startsWith("--allow-write="));
  ok(write?.startsWith("--allow-write=/here/state,"), String(write));
});

Deno.test("grantsForArguments() refuses what the command itself would refuse", async () => {
  for (
    const line of ["gte pods", "run --config=/none", "metrics --config=/none"]
  ) {
    const result = await grantsForArguments(line.split(" "), IO, ADDRESSES);
    strictEqual(result.kind, "refused");
  }
});

const GRANTS: Grants = {
  read: [{ target: "/b", option: "x" }, { target: "/a", option: "x" }],
  write: [],
  net: [],
  sys: [],
};
const LOCKED: BakedMetadata = {
  hasCodeCache: false,
  files: new Map(),
  features: ["--unstable-net"],
  permissions: {
    prompt: false,
    allow_run: null,
    allow_ffi: null,
    allow_env: null,
    ignore_env: [],
    deny_import: [],
    allow_read: ["/a", "/b"],
    allow_write: null,
    allow_net: null,
    allow_sys: null,
  },
  v8Flags: ["--stack-size=1024", ...V8_FLAGS],
};

const WANTED = { grants: GRANTS, v8Flags: V8_FLAGS };

Deno.test("lockFaults() is content with exactly the wanted permissions", () => {
  deepStrictEqual(lockFaults(LOCKED, WANTED), []);
});

for (
  const [name, value] of [
    ["prompt", true],
    ["allow_all", true],
    ["allow_run", []],
    ["allow_ffi", ["/x"]],
    ["allow_read", []],
    ["allow_write", []],
    ["allow_net", ["10.0.0.0/8"]],
    ["deny_import", null],
    ["ignore_env", null],
  ] as const
) {
  Deno.test(`lockFaults() sees ${name} ${JSON.stringify(value)}`, () => {
    const permissions = { ...LOCKED.permissions, [name]: value };
    strictEqual(lockFaults({ ...LOCKED, permissions }, WANTED).length, 1);
  });
}

Deno.test("lockFaults() sees a code cache in the temp directory", () => {
  const baked = { ...LOCKED, hasCodeCache: true };
  strictEqual(lockFaults(baked, WANTED).length, 1);
});

Deno.test("lockFaults() sees features that are missing, and more than are wanted", () => {
  for (const features of [[], ["--unstable-net", "--unstable-kv"]]) {
    strictEqual(lockFaults({ ...LOCKED, features }, WANTED).length, 1);
  }
});

Deno.test("lockFaults() misses the engine's flags", () => {
  const faults = lockFaults({ ...LOCKED, v8Flags: V8_FLAGS.slice(1) }, WANTED);
  deepStrictEqual(faults, [`the engine's flag ${V8_FLAGS[0]} is not there`]);
});
