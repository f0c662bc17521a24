/**
 * Docker configurations on the node.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { BoundedRead } from "../../../../mod/host/files/mod.ts";
import { NodeConfigFiles } from "../../../../mod/runtime/credentials/node_config_files.ts";

const STAMP = { size: 1, modifiedMs: 0, changedMs: 0, inode: 1 };

function file(text: string): BoundedRead {
  return { kind: "read", bytes: new TextEncoder().encode(text), stamp: STAMP };
}

async function read(
  files: Readonly<Record<string, BoundedRead | Error>>,
  paths: readonly string[] = [],
) {
  const asked: string[] = [];
  const readFile = (path: string, maxBytes: number): Promise<BoundedRead> => {
    asked.push(`${path} ${maxBytes}`);
    const found = files[path] ?? { kind: "missing" };
    return found instanceof Error
      ? Promise.reject(found)
      : Promise.resolve(found);
  };
  const node = new NodeConfigFiles({ paths, rootDir: "/root" }, { readFile });
  const { logins, problems } = await node.read();
  return { asked, logins: logins.map(({ username }) => username), problems };
}

const login = (user: string): string =>
  `{"r.example":{"auth":"${btoa(`${user}:p`)}"}}`;
const config = (user: string): BoundedRead => file(`{"auths":${login(user)}}`);

Deno.test("NodeConfigFiles.read() reads what settings name, then the root directory", async () => {
  const found = await read({
    "/etc/a.json": config("a"),
    "/etc/.dockercfg": file(login("b")),
    "/root/config.json": config("c"),
    "/root/.dockercfg": file(login("d")),
  }, ["/etc/a.json", "/etc/.dockercfg"]);
  deepStrictEqual(found, {
    asked: [
      "/etc/a.json 1048576",
      "/etc/.dockercfg 1048576",
      "/root/config.json 1048576",
      "/root/.dockercfg 1048576",
    ],
    logins: ["a", "b", "c", "d"],
    problems: [],
  });
});

Deno.test("NodeConfigFiles.read() misses only what settings name", async () => {
  const { problems } = await read({}, ["/etc/a.json"]);
  deepStrictEqual(problems, [
    'The image credentials in "/etc/a.json" cannot be used: there is no such file',
  ]);
});

for (
  const [found, problem] of [
    [{ kind: "not_regular", what: "fifo" }, "wanted a file, found a fifo"],
    [
      { kind: "not_regular", what: "directory" },
      "wanted a file, found a directory",
    ],
    [{ kind: "too_large", stamp: STAMP }, "it has more than 1048576 bytes"],
    [new Error("Disk is gone"), "Disk is gone"],
    [file("hunter2"), "it is not a JSON object"],
  ] as const
) {
  Deno.test(`NodeConfigFiles.read() goes on when of one file: ${problem}`, async () => {
    const { logins, problems } = await read({
      "/etc/a.json": found,
      "/root/config.json": config("c"),
    }, ["/etc/a.json"]);
    deepStrictEqual(logins, ["c"]);
    deepStrictEqual(problems, [
      `The image credentials in "/etc/a.json" cannot be used: ${problem}`,
    ]);
  });
}
