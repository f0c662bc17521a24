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

/** A node that has worked a quarter of a second more at each look. */
class TopRig implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly agent = new AgentStub();
  looks = 0;
  #at = "";

  static async start(): Promise<TopRig> {
    const rig = new TopRig();
    const dir = rig.#stack.use(await TempDir.make());
    const path = `${dir.path}/s.sock`;
    rig.agent.stats = () => rig.#look();
    rig.#stack.use(await rig.agent.serve(path));
    rig.#at = `--control-socket=${path}`;
    return rig;
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
    const stats = nodeStats();
    const cpuNanos = BigInt(this.looks) * SECOND_NANOS / 4n;
    return { ...stats, node: { ...stats.node, cpuNanos } };
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
