/**
 * Tests of the configuration of a container.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type {
  ContainerSpec,
  LifecycleHandler,
} from "../../../../mod/api/types/mod.ts";
import type {
  ContainerConfig,
  LinuxResources,
} from "../../../../mod/cri/config/mod.ts";
import {
  buildContainerConfig,
  containerLogPath,
} from "../../../../mod/runtime/spec/container_spec.ts";
import type {
  ContainerSpecInput,
  NodeCgroups,
} from "../../../../mod/runtime/spec/spec_input.ts";
import { container, pod } from "../../../support/pods.ts";
import {
  containerInput,
  SPEC_NODE,
} from "../../../support/runtime/spec_inputs.ts";

function configOf(
  fields: Partial<ContainerSpec>,
  input: Partial<ContainerSpecInput> = {},
): ContainerConfig {
  const result = buildContainerConfig(
    containerInput({ container: container("c", fields), ...input }),
  );
  if (result.kind === "refused") throw new Error(result.message);
  return result.config;
}

Deno.test("buildContainerConfig() names the container after its restarts", () => {
  const config = configOf({}, { restartCount: 4 });
  deepStrictEqual(config.metadata, { name: "c", attempt: 4 });
  strictEqual(config.logPath, "c/4.log");
  strictEqual(
    config.annotations["io.kubernetes.container.restartCount"],
    "4",
  );
  strictEqual(containerLogPath("x", 0), "x/0.log");
});

Deno.test("buildContainerConfig() names the image by what the runtime has and what the spec says", () => {
  deepStrictEqual(configOf({ image: "example/app:1" }).image, {
    image: "sha256:abc",
    userSpecifiedImage: "example/app:1",
  });
});

Deno.test("buildContainerConfig() takes no label or annotation from the pod", () => {
  const only = container();
  const of = pod({
    containers: [only],
    terminationGracePeriodSeconds: 7,
    metadata: {
      labels: { app: "x", "io.kubernetes.container.name": "other" },
      annotations: { "io.kubernetes.container.hash": "forged", "a/b": "c" },
      deletionGracePeriodSeconds: 5,
    },
  });
  const config = configOf({}, { pod: of, container: only });
  deepStrictEqual(config.labels, {
    "io.kubernetes.pod.name": "web",
    "io.kubernetes.pod.namespace": "shop",
    "io.kubernetes.pod.uid": "u-1",
    "io.kubernetes.container.name": "c",
  });
  const { "io.kubernetes.container.hash": hash, ...others } =
    config.annotations;
  match(hash ?? "", /^[0-9a-f]{1,8}$/);
  deepStrictEqual(others, {
    "io.kubernetes.container.restartCount": "0",
    "io.kubernetes.container.terminationMessagePath": "/dev/termination-log",
    "io.kubernetes.container.terminationMessagePolicy": "File",
    "io.kubernetes.pod.deletionGracePeriod": "5",
    "io.kubernetes.pod.terminationGracePeriod": "7",
  });
});

Deno.test("buildContainerConfig() writes ports as Go does", () => {
  const ports = [
    {
      protocol: "UDP",
      hostIP: "127.0.0.1",
      containerPort: 81,
      hostPort: 18081,
      name: "dns",
    },
    { containerPort: 80, hostPort: 0 },
  ];
  strictEqual(
    configOf({ ports }).annotations["io.kubernetes.container.ports"],
    '[{"name":"dns","hostPort":18081,"containerPort":81,"protocol":"UDP","hostIP":"127.0.0.1"},' +
      '{"containerPort":80,"protocol":"TCP"}]',
  );
});

const HOOKS: readonly (readonly [hook: LifecycleHandler, written: string])[] = [
  [
    { exec: { command: ["sh", "-c", "a && b > c"] } },
    '{"exec":{"command":["sh","-c","a \\u0026\\u0026 b \\u003e c"]}}',
  ],
  [{ exec: {} }, '{"exec":{}}'],
  [
    {
      httpGet: {
        scheme: "HTTP",
        port: 8080,
        path: "/bye",
        host: "",
        httpHeaders: [{ value: "b", name: "a" }],
      },
    },
    '{"httpGet":{"path":"/bye","port":8080,"scheme":"HTTP","httpHeaders":[{"name":"a","value":"b"}]}}',
  ],
  [
    { httpGet: { port: "web", host: "h" } },
    '{"httpGet":{"port":"web","host":"h"}}',
  ],
  [{ tcpSocket: { port: 1 } }, '{"tcpSocket":{"port":1}}'],
  [{ sleep: { seconds: 0 } }, '{"sleep":{"seconds":0}}'],
];

for (const [preStop, written] of HOOKS) {
  Deno.test(`buildContainerConfig() writes the preStop hook ${written} as Go does`, () => {
    const { annotations } = configOf({ lifecycle: { preStop } });
    strictEqual(
      annotations["io.kubernetes.container.preStopHandler"],
      written,
    );
  });
}

Deno.test("buildContainerConfig() expands command and arguments with the environment", () => {
  const config = configOf({
    command: ["sh", "$(A)"],
    args: ["$$(A)", "$(NOPE)", "$(B)"],
    env: [{ name: "A", value: "1" }, { name: "B", value: "<$(A)>" }],
    workingDir: "/$(A)",
  });
  deepStrictEqual(config.command, ["sh", "1"]);
  deepStrictEqual(config.args, ["$(A)", "$(NOPE)", "<1>"]);
  deepStrictEqual(config.envs, [
    { key: "A", value: "1" },
    { key: "B", value: "<1>" },
  ]);
  strictEqual(config.workingDir, "/$(A)");
});

Deno.test("buildContainerConfig() leaves out what the image is to decide", () => {
  const config = configOf({});
  for (const key of ["command", "args", "workingDir", "stdin", "tty"]) {
    strictEqual(key in config, false, key);
  }
});

Deno.test("buildContainerConfig() copies stdin, stdinOnce and tty", () => {
  const { stdin, stdinOnce, tty } = configOf({
    stdin: true,
    stdinOnce: true,
    tty: true,
  });
  deepStrictEqual([stdin, stdinOnce, tty], [true, true, true]);
});

Deno.test("buildContainerConfig() refuses in words what it cannot build", () => {
  const wanting = container("c", {
    volumeMounts: [{ name: "x", mountPath: "/x" }],
  });
  const result = buildContainerConfig(containerInput({ container: wanting }));
  strictEqual(result.kind, "refused");
  if (result.kind !== "refused") return;
  strictEqual(result.reason, "CreateContainerConfigError");
  match(result.message, /volume "x" at "\/x"/);
});

Deno.test("buildContainerConfig() refuses variables that double each other without end", () => {
  const env = Array.from({ length: 40 }, (_, index) => ({
    name: `V${index}`,
    value: index === 0 ? "xx" : `$(V${index - 1})$(V${index - 1})`,
  }));
  const result = buildContainerConfig(
    containerInput({ container: container("c", { env }) }),
  );
  strictEqual(result.kind, "refused");
});

function resourcesOf(
  resources: ContainerSpec["resources"],
  cgroups: Partial<NodeCgroups> = {},
): LinuxResources | undefined {
  const node = { ...SPEC_NODE, cgroups: { ...SPEC_NODE.cgroups, ...cgroups } };
  const fields = resources === undefined ? {} : { resources };
  return configOf(fields, { node }).linux?.resources;
}

const NO_HUGE_PAGES = [
  { pageSize: "2MB", limit: 0n },
  { pageSize: "1GB", limit: 0n },
];

Deno.test("buildContainerConfig() gives a container without resources the least shares", () => {
  deepStrictEqual(resourcesOf(undefined), {
    cpuPeriod: 100_000n,
    cpuShares: 2n,
    oomScoreAdj: 1000n,
    hugepageLimits: NO_HUGE_PAGES,
  });
});

Deno.test("buildContainerConfig() keeps a memory limit above 2^53 exact", () => {
  const limits = { memory: "9007199254740993" };
  const resources = resourcesOf({ limits });
  strictEqual(resources?.memoryLimitInBytes, 9007199254740993n);
  strictEqual(resources?.memorySwapLimitInBytes, 9007199254740993n);
});

Deno.test("buildContainerConfig() gives 1m of CPU the least shares and 5m the least quota", () => {
  const resources = resourcesOf({
    requests: { cpu: "1m" },
    limits: { cpu: "5m" },
  });
  strictEqual(resources?.cpuShares, 2n);
  strictEqual(resources?.cpuQuota, 1000n);
});

Deno.test("buildContainerConfig() sets huge pages by their size, however it is written", () => {
  const limits = { "hugepages-2048Ki": "4Mi", "hugepages-1Gi": "2Gi" };
  deepStrictEqual(resourcesOf({ limits })?.hugepageLimits, [
    { pageSize: "2MB", limit: 4n << 20n },
    { pageSize: "1GB", limit: 2n << 30n },
  ]);
});

Deno.test("buildContainerConfig() gives no swap under cgroups v2 and kills a container as a whole", () => {
  const resources = resourcesOf({ limits: { memory: "1Mi" } }, { version: 2 });
  strictEqual(resources?.memorySwapLimitInBytes, undefined);
  deepStrictEqual(resources?.unified, {
    "memory.oom.group": "1",
    "memory.swap.max": "0",
  });
});

Deno.test("buildContainerConfig() sets neither period nor quota when limits are not enforced", () => {
  const resources = resourcesOf({ limits: { cpu: "1" } }, {
    cpuCfsQuota: false,
  });
  strictEqual(resources?.cpuPeriod, undefined);
  strictEqual(resources?.cpuQuota, undefined);
  strictEqual(resources?.cpuShares, 1024n);
});

Deno.test("buildContainerConfig() computes the quota for the configured period", () => {
  const resources = resourcesOf({ limits: { cpu: "2" } }, {
    cpuCfsPeriodMs: 12.5,
  });
  strictEqual(resources?.cpuPeriod, 12_500n);
  strictEqual(resources?.cpuQuota, 25_000n);
});

Deno.test("buildContainerConfig() says nothing of huge pages on a node without them", () => {
  strictEqual(
    resourcesOf(undefined, { hugePageSizes: [] })?.hugepageLimits,
    undefined,
  );
});

Deno.test("buildContainerConfig() refuses variables and arguments that no program can be given together", () => {
  const environment = new Map([["BIG", "x".repeat(1 << 20)]]);
  const args = Array.from({ length: 5 }, () => "$(BIG)");
  const result = buildContainerConfig(
    containerInput({ container: container("c", { args }), environment }),
  );
  strictEqual(result.kind, "refused");
  strictEqual(
    configOf({ args: args.slice(1) }, { environment }).args?.length,
    4,
  );
});
