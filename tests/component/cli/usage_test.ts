/**
 * `skerry top` and `skerry df` against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { NodeStats } from "../../../mod/server/mod.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";
import { AgentStub } from "../../support/server/agent_stub.ts";
import { nodeStats } from "../../support/server/node_stats.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const SECOND_NANOS = 1_000_000_000n;

/** Figures of a node that has worked a quarter of a second more at each look. */
function busy(looks: number, stats: NodeStats = nodeStats()): NodeStats {
  const cpuNanos = BigInt(looks) * SECOND_NANOS / 4n;
  return { ...stats, node: { ...stats.node, cpuNanos } };
}

/** An agent whose figures are asked for, and how often. */
class TopRig implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly agent = new AgentStub();
  looks = 0;
  readonly #figures: (looks: number) => NodeStats;
  #at = "";

  /** @param figures of the look with this number; busy ones when left out */
  static async start(
    figures: (looks: number) => NodeStats = (looks) => busy(looks),
  ): Promise<TopRig> {
    const rig = new TopRig(figures);
    const dir = rig.#stack.use(await TempDir.make());
    const path = `${dir.path}/s.sock`;
    rig.agent.stats = (what) =>
      what === "memory" ? rig.#look() : new Error("files are not wanted");
    rig.#stack.use(await rig.agent.serve(path));
    rig.#at = `--control-socket=${path}`;
    return rig;
  }

  private constructor(figures: (looks: number) => NodeStats) {
    this.#figures = figures;
  }

  /** The cells that a command writes, and what it says beside. */
  async run(line: string) {
    const io = new TestIo();
    const from = this.looks;
    const running = run(`${line} ${this.#at}`, io);
    await until(async () => {
      await io.clock.advance(100);
      return this.looks === from + 2;
    }, "the second look");
    const { code, output, errors } = await running;
    const rows = output.trimEnd().split("\n")
      .map((line) => line.split(/ {3,}/));
    return { code, rows, errors };
  }

  #look(): NodeStats {
    this.looks++;
    return this.#figures(this.looks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }
}

Deno.test("main() shows what pods use, by namespace", async () => {
  await using rig = await TopRig.start();
  const head = ["NAME", "CPU(cores)", "MEMORY(bytes)"];
  const row = ["web", "12m", "64Mi"];
  deepStrictEqual((await rig.run("top pods -n shop")).rows, [head, row]);
  deepStrictEqual((await rig.run("top pods -A")).rows, [
    ["NAMESPACE", ...head],
    ["shop", ...row],
  ]);
  const none = await rig.run("top pods");
  strictEqual(none.errors, "No resources found in default namespace.\n");
  strictEqual(none.code, 0);
});

Deno.test("main() shows what the node uses, compared with a second before", async () => {
  await using rig = await TopRig.start();
  const share = `${Math.round(25 / navigator.hardwareConcurrency)}%`;
  deepStrictEqual((await rig.run("top node")).rows, [
    ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"],
    ["edge1", "250m", share, "750Mi", "75%"],
  ]);
});

Deno.test("main() shows what pods and images take of the disk", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.stats = (what) => what === "all" ? nodeStats() : new Error(what);
  const image = { pinned: false, users: [] };
  agent.images = [
    { ...image, id: "i1", names: ["r/small:1"], size: 1024 },
    { ...image, id: "i2", names: [], size: 5 * 2 ** 30 },
    { ...image, id: "i3", names: ["r/pause:1"], size: 1, pinned: true },
  ];
  await using _server = await agent.serve(path);
  const { output } = await run(`df --control-socket=${path}`);
  deepStrictEqual(
    output.split("\n").map((line) => line.split(/ {3,}/)),
    [
      ["DISK", "SIZE", "USED", "FREE", "INODES-FREE"],
      ["nodefs", "100Mi", "60Mi", "40Mi", "30"],
      ["imagefs", "<unknown>", "7", "<unknown>", "<unknown>"],
      [""],
      [
        "NAMESPACE",
        "POD",
        "LOGS",
        "VOLUMES",
        "LAYERS",
        "TOTAL",
        "IN-MEMORY",
      ],
      ["shop", "web", "3Mi", "5Mi", "3Mi", "12Mi", "9Mi"],
      [""],
      ["IMAGE", "SIZE", "USED-BY"],
      ["i2", "5Gi", "<none>"],
      ["r/small:1", "1Ki", "<none>"],
      ["r/pause:1", "1", "<runtime>"],
      [""],
    ],
  );
});

/** The figures of a node on which nothing of a pod was measured. */
function blank(...names: readonly string[]): NodeStats {
  const stats = nodeStats();
  const [first] = stats.pods;
  ok(first !== undefined);
  const use = { ...first.use, containers: [], volumes: [] };
  return {
    ...stats,
    node: { ...stats.node, memory: undefined, nodeFs: undefined },
    images: undefined,
    pods: names.map((name) => {
      const [namespace = "", own = ""] = name.split("/");
      const metadata = { ...first.pod.metadata, namespace, name: own };
      return { pod: { ...first.pod, metadata }, use };
    }),
  };
}

Deno.test("main() lists pods by namespace and name, and what is not known of them", async () => {
  await using rig = await TopRig.start(() => blank("b/a", "a/c", "a/b"));
  const unknown = ["<unknown>", "<unknown>"];
  deepStrictEqual((await rig.run("top pods -A")).rows.slice(1), [
    ["a", "b", ...unknown],
    ["a", "c", ...unknown],
    ["b", "a", ...unknown],
  ]);
});

Deno.test("main() says that there is no pod at all", async () => {
  await using rig = await TopRig.start(() => blank());
  strictEqual((await rig.run("top pods -A")).errors, "No resources found\n");
});

for (
  const [what, memory, cells] of [
    ["no memory was measured", undefined, ["<unknown>", "<unknown>"]],
    ["there is none", { capacity: 0, available: 0 }, ["0", "<unknown>"]],
    ["all of it is used", { capacity: 5, available: 0 }, ["5", "100%"]],
  ] as const
) {
  Deno.test(`main() shows what the node uses when ${what}`, async () => {
    await using rig = await TopRig.start((looks) => {
      const stats = blank();
      return busy(looks, { ...stats, node: { ...stats.node, memory } });
    });
    deepStrictEqual((await rig.run("top node")).rows[1], [
      "edge1",
      ...["250m", "13%"],
      ...cells,
    ]);
  });
}

for (
  const [what, ticks, text] of [
    ["is not known at first", [undefined, 1n], "<unknown>"],
    ["is not known at last", [1n, undefined], "<unknown>"],
    ["was counted anew", [SECOND_NANOS, 1n], "0m"],
  ] as const
) {
  Deno.test(`main() shows what the node uses when processor time ${what}`, async () => {
    await using rig = await TopRig.start((looks) => {
      const stats = blank();
      return { ...stats, node: { ...stats.node, cpuNanos: ticks[looks - 1] } };
    });
    strictEqual((await rig.run("top node")).rows[1]?.[1], text);
  });
}

Deno.test("main() shows the largest pods first, and nothing of a disk that was not measured", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  const stats = blank("a/small", "a/large");
  const pods = stats.pods.map(({ pod, use }, at) => ({
    pod,
    use: { ...use, files: { bytes: 1024 * (at + 1), inodes: 1 } },
  }));
  const nodeFs = {
    bytes: { capacity: 9, available: 4 },
    inodes: { capacity: 8, available: 3 },
  };
  agent.stats = () => ({
    ...stats,
    pods,
    node: { ...stats.node, nodeFs, imageFs: nodeFs },
    images: { images: [], layers: [{ mountpoint: "/l", usedBytes: 3n }] },
  });
  await using _server = await agent.serve(path);
  const rows = async () => {
    const { output } = await run(`df --control-socket=${path}`);
    return output.split("\n").map((line) => line.split(/ {3,}/));
  };
  const head = [
    "NAMESPACE",
    ...["POD", "LOGS", "VOLUMES", "LAYERS", "TOTAL", "IN-MEMORY"],
  ];
  deepStrictEqual(await rows(), [
    ["DISK", "SIZE", "USED", "FREE", "INODES-FREE"],
    ["nodefs", "9", "5", "4", "3"],
    ["containerfs", "9", "3", "4", "3"],
    [""],
    head,
    ["a", "large", "0", "0", "0", "2Ki", "0"],
    ["a", "small", "0", "0", "0", "1Ki", "0"],
    [""],
  ]);
  const user = { state: "running", since: "1970-01-01T00:00:00Z" } as const;
  const users = [{ ...user, name: "a/1" }];
  agent.images = [{ id: "i", names: [], size: 0, pinned: true, users }];
  agent.stats = () => blank();
  deepStrictEqual(await rows(), [
    ["IMAGE", "SIZE", "USED-BY"],
    ["i", "0", "1"],
    [""],
  ]);
});

Deno.test("main() says that the runtime has no figures", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  for (const command of ["top pods", "df"]) {
    const { code, errors } = await run(`${command} --control-socket=${path}`);
    strictEqual(code, 1);
    ok(errors.includes("no figures"), errors);
  }
});
