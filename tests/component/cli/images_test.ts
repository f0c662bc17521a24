/**
 * `skerry images` against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { ImageState } from "../../../mod/server/mod.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";
import { AgentStub } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";

const SINCE = "1970-01-01T00:00:00Z";
const ID = `sha256:${"0123456789ab".padEnd(64, "0")}`;

/** An image that pods of these names use. */
function image(
  name: string,
  rest: Partial<Omit<ImageState, "users">> & { users?: readonly string[] } = {},
): ImageState {
  const { users = [], ...more } = rest;
  return {
    id: ID,
    names: name === "" ? [] : [name],
    size: 1_234_567,
    pinned: false,
    ...more,
    users: users.map((user) => ({
      name: user,
      state: "running",
      since: SINCE,
    })),
  };
}

Deno.test("main() lists images in every form", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  const at = `--control-socket=${path}`;
  strictEqual((await run(`images ${at}`)).errors, "No resources found\n");
  agent.images = [
    image("r.example/a:1", {
      names: ["r.example/a:1", "r.example/a@sha256:1"],
      users: ["shop/web", "shop/web", "shop/job"],
    }),
    image("r.example/b:1", { users: ["a/1", "a/2", "a/3", "a/4", "a/5"] }),
    image("r.example/pause:1", { pinned: true, size: 999 }),
    image("", { size: 123_456_789_012 }),
  ];
  const table = (await run(`images -o wide ${at}`)).output.split("\n")
    .map((line) => line.split(/ {3,}/));
  const short = "0123456789ab";
  const rows = table.map((cells) => cells.toSpliced(4, 1));
  deepStrictEqual(rows, [
    ["IMAGE", "ID", "SIZE", "USED-BY", "NAMES"],
    [
      ...["r.example/a:1", short, "1.2MB", "shop/web,shop/job"],
      "r.example/a:1,r.example/a@sha256:1",
    ],
    [
      "r.example/b:1",
      short,
      "1.2MB",
      "a/1,a/2,a/3 and 2 more",
      "r.example/b:1",
    ],
    ["r.example/pause:1", short, "999B", "<runtime>", "r.example/pause:1"],
    [ID, short, "123GB", "<none>", "<none>"],
    [""],
  ]);
  strictEqual(table[3]?.[4], "<none>");
  ok(/^\d+[smhdy]/.test(table[1]?.[4] ?? ""));
  const { items, kind } = JSON.parse(
    (await run(`images -o json ${at}`)).output,
  );
  deepStrictEqual([kind, items], ["ImageList", agent.images]);
  strictEqual(
    (await run(`images -o name ${at}`)).output.split("\n")[0],
    "image/r.example/a:1",
  );
});

Deno.test("main() shows sizes of images as other clients of runtimes do, and since when one is used", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  const sizes = [
    [0, "0B"],
    [999, "999B"],
    [1_000, "1.0kB"],
    [99_900, "99.9kB"],
    [100_000, "100kB"],
    [1_000_000, "1.0MB"],
    [1_000_000_000, "1.0GB"],
    [2_000_000_000_000, "2.0TB"],
    [3_000_000_000_000_000, "3000TB"],
  ] as const;
  agent.images = sizes.map(([size]) => image("r.example/a:1", { size }));
  const listed = async (io = new TestIo()) => {
    const { output } = await run(`images --control-socket=${path}`, io);
    return output.trimEnd().split("\n").slice(1)
      .map((line) => line.split(/ {3,}/));
  };
  deepStrictEqual(
    (await listed()).map((cells) => cells[2]),
    sizes.map(([, text]) => text),
  );
  agent.images = [
    image("r.example/a:1", { users: ["a/1", "a/2", "a/3"] }),
  ];
  const io = new TestIo();
  io.clock.wall = 7_200_000;
  deepStrictEqual((await listed(io)).map((cells) => cells.slice(3)), [
    ["a/1,a/2,a/3", "120m"],
  ]);
});

Deno.test("main() says why images cannot be listed", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.images = new Error("Cannot ListImages: no connection");
  await using _server = await agent.serve(path);
  const { code, errors } = await run(`images --control-socket=${path}`);
  deepStrictEqual([code, errors], [
    1,
    "skerry: Cannot ListImages: no connection\n",
  ]);
});
