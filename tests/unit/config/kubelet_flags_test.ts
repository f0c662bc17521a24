/**
 * The kubelet's own flags, as they are read.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { KUBELET_FIELDS } from "../../../mod/config/config_file.ts";
import { RUN_FLAGS } from "../../../mod/config/flags.ts";
import {
  KUBELET_FLAGS,
  readKubeletFlags,
} from "../../../mod/config/kubelet/mod.ts";

const OWN: ReadonlyMap<string, boolean> = new Map([
  ["pod-network", false],
  ["hosts-of-services", true],
]);

function read(...args: readonly string[]) {
  return readKubeletFlags(args, OWN);
}

function fieldsOf(...args: readonly string[]): Record<string, unknown> {
  const { fields, faults } = read(...args);
  deepStrictEqual(faults, []);
  return Object.fromEntries(
    [...fields].map(([path, { value }]) => [path, value]),
  );
}

Deno.test("KUBELET_FLAGS are all flags of kubelet 1.36, and the one that older tools give", () => {
  const names = KUBELET_FLAGS.map(({ name }) => name);
  strictEqual(names.length, 150);
  deepStrictEqual(names, [...new Set(names)].sort());
  for (
    const name of ["kubeconfig", "v", "vmodule", "pod-infra-container-image"]
  ) {
    ok(names.includes(name), name);
  }
});

Deno.test("KUBELET_FLAGS stand for fields and flags that there are", () => {
  const paths = KUBELET_FIELDS.map(({ path }) => path);
  const flags = RUN_FLAGS.map(({ flag }) => flag.name);
  for (const { name, meaning } of KUBELET_FLAGS) {
    if (meaning.kind === "field") ok(paths.includes(meaning.path), name);
    if (meaning.kind === "setting") ok(flags.includes(meaning.name), name);
    if (meaning.kind === "inert") ok(meaning.why.length > 10, name);
  }
});

for (
  const [args, fields] of [
    [["--max-pods=50"], { maxPods: 50 }],
    [["--max-pods", "50"], { maxPods: 50 }],
    [["--max_pods=50"], { maxPods: 50 }],
    [["--max-pods=1", "--max-pods=+2"], { maxPods: 2 }],
    [["--oom-score-adj=-999"], { oomScoreAdj: -999 }],
    [["-v4"], { "logging.verbosity": 4 }],
    [["-v=4"], { "logging.verbosity": 4 }],
    [["-v", "4"], { "logging.verbosity": 4 }],
    [["--v=2"], { "logging.verbosity": 2 }],
    [["--v", "2"], { "logging.verbosity": 2 }],
    [["--fail-swap-on"], { failSwapOn: true }],
    [["--fail-swap-on=false"], { failSwapOn: false }],
    ...["1", "t", "T", "true", "TRUE", "True"].map((text) =>
      [[`--runonce=${text}`], { runOnce: true }] as const
    ),
    ...["0", "f", "F", "false", "FALSE", "False"].map((text) =>
      [[`--runonce=${text}`], { runOnce: false }] as const
    ),
    // As with pflag, the next word is the value, whatever it looks like.
    [["--cgroup-root", "--x"], { cgroupRoot: "--x" }],
    [["--cgroup-root="], { cgroupRoot: "" }],
    [["--cgroup-root=a=b"], { cgroupRoot: "a=b" }],
    [["--cluster-dns=a, b,,", "--cluster-dns=c"], {
      clusterDNS: ["a", "b", "c"],
    }],
    [["--kube-reserved=cpu=1,memory=1Gi", "--kube-reserved=cpu= 2"], {
      kubeReserved: { cpu: "2", memory: "1Gi" },
    }],
    [["--eviction-hard=memory.available<1Gi,nodefs.available<5%"], {
      evictionHard: { "memory.available": "1Gi", "nodefs.available": "5%" },
    }],
    [["--feature-gates=A=true", "--feature-gates=B=F"], {
      featureGates: { A: true, B: false },
    }],
    [["--manifest-url-header=a:1,b:2:3", "--manifest-url-header=a:4"], {
      staticPodURLHeader: { a: ["1", "4"], b: ["2:3"] },
    }],
    [
      ["--register-with-taints=a=b:NoSchedule,c:NoExecute,d=:PreferNoSchedule"],
      {
        registerWithTaints: [
          { key: "a", value: "b", effect: "NoSchedule" },
          { key: "c", effect: "NoExecute" },
          { key: "d", effect: "PreferNoSchedule" },
        ],
      },
    ],
    [[
      "--register-with-taints=a:NoSchedule",
      "--register-with-taints=b:NoSchedule",
    ], {
      registerWithTaints: [
        { key: "a", effect: "NoSchedule" },
        { key: "b", effect: "NoSchedule" },
      ],
    }],
    [["--reserved-memory=0:memory=1Gi", "--reserved-memory=1:memory=1Gi"], {
      reservedMemory: [{ text: "0:memory=1Gi" }, { text: "1:memory=1Gi" }],
    }],
  ] as const
) {
  Deno.test(`readKubeletFlags() reads ${args.join(" ")}`, () => {
    deepStrictEqual(fieldsOf(...args), fields);
  });
}

for (
  const [args, faults] of [
    [["--max-pods=a"], [{
      kind: "value",
      name: "max-pods",
      found: "a",
      wanted: "a whole number",
    }]],
    [["--max-pods=1.5"], [{
      kind: "value",
      name: "max-pods",
      found: "1.5",
      wanted: "a whole number",
    }]],
    [["--max-pods"], [{ kind: "value", name: "max-pods", wanted: "one" }]],
    [["--runonce=yes"], [{
      kind: "value",
      name: "runonce",
      found: "yes",
      wanted: "true or false",
    }]],
    // A switch takes no word behind it.
    [["--runonce", "false"], [{ kind: "argument", text: "false" }]],
    [["--kube-reserved=cpu"], [{
      kind: "value",
      name: "kube-reserved",
      found: "cpu",
      wanted: "key=value,…",
    }]],
    [["--kube-reserved==1"], [{
      kind: "value",
      name: "kube-reserved",
      found: "=1",
      wanted: "key=value,…",
    }]],
    [["--eviction-soft=a=1"], [{
      kind: "value",
      name: "eviction-soft",
      found: "a=1",
      wanted: "signal<amount,…",
    }]],
    [["--feature-gates=A=maybe"], [{
      kind: "value",
      name: "feature-gates",
      found: "A=maybe",
      wanted: "name=true|false,…",
    }]],
    [["--feature-gates=A"], [{
      kind: "value",
      name: "feature-gates",
      found: "A",
      wanted: "name=true|false,…",
    }]],
    [["--manifest-url-header=a"], [{
      kind: "value",
      name: "manifest-url-header",
      found: "a",
      wanted: "Key:value,…",
    }]],
    ...["a", ":NoSchedule", "=b:NoSchedule"].map((found) =>
      [[`--register-with-taints=${found}`], [{
        kind: "value",
        name: "register-with-taints",
        found,
        wanted: "key=value:effect,…",
      }]] as const
    ),
    [["--kubeconfg=/x"], [{ kind: "unknown", rawName: "--kubeconfg" }]],
    [["--network-plugin", "cni"], [{
      kind: "unknown",
      rawName: "--network-plugin",
    }]],
    [["--network-plugin", "--runonce=x"], [
      { kind: "unknown", rawName: "--network-plugin" },
      { kind: "value", name: "runonce", found: "x", wanted: "true or false" },
    ]],
    [["--network-plugin=cni", "word"], [
      { kind: "unknown", rawName: "--network-plugin" },
      { kind: "argument", text: "word" },
    ]],
    [["-kubeconfig=/x"], [{ kind: "unknown", rawName: "-kubeconfig" }]],
    [["run"], [{ kind: "argument", text: "run" }]],
    [["-"], [{ kind: "argument", text: "-" }]],
    [["--"], [{ kind: "argument", text: "--" }]],
    [["--cloud-provider=aws"], [{
      kind: "value",
      name: "cloud-provider",
      found: "aws",
      wanted: '"external" or nothing',
    }]],
  ] as const
) {
  Deno.test(`readKubeletFlags() refuses ${args.join(" ")}`, () => {
    deepStrictEqual(read(...args).faults, faults);
  });
}

Deno.test("readKubeletFlags() gives the agent's own flags on, and those that both have", () => {
  const { runArguments, faults } = read(
    "--root-dir",
    "/x",
    "--hostname-override=",
    "--pod-network=10.0.0.0/8",
    "--hosts-of-services",
    "--node-labels=a=b",
  );
  deepStrictEqual(faults, []);
  deepStrictEqual(runArguments, [
    "--root-dir=/x",
    "--pod-network=10.0.0.0/8",
    "--hosts-of-services=true",
    "--node-labels=a=b",
  ]);
});

Deno.test("readKubeletFlags() says where the files are, the last one counting", () => {
  const given = read("--config=a", "--config=b", "--config-dir", "c");
  strictEqual(given.configPath, "b");
  strictEqual(given.configDir, "c");
  const none = read("--config=", "--config-dir=");
  deepStrictEqual([none.configPath, none.configDir], [undefined, undefined]);
});

Deno.test("readKubeletFlags() knows whether a cloud looks after the node", () => {
  strictEqual(read("--cloud-provider=external").hasCloud, true);
  strictEqual(read("--cloud-provider=").hasCloud, false);
  strictEqual(read().hasCloud, false);
});

Deno.test("readKubeletFlags() names each flag without effect once, with the reason", () => {
  const { inert, faults } = read(
    "--containerd=/x",
    "--containerd=/y",
    "--lock-file=",
    "--vmodule",
    "a=1",
    "--log-cadvisor-usage",
  );
  deepStrictEqual(faults, []);
  deepStrictEqual(inert, [
    "--containerd (there is no cAdvisor in the agent)",
    "--vmodule (the log has one level for all parts)",
    "--log-cadvisor-usage (there is no cAdvisor in the agent)",
  ]);
});

Deno.test("readKubeletFlags() lets the version and the help be asked for with a value", () => {
  deepStrictEqual(read("--version", "--help=false", "-h").faults, []);
});
