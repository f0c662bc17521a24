/**
 * Tests of the ids that pods with a user namespace are given.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import {
  type UserNamespaceDeps,
  UserNamespaces,
} from "../../../../mod/runtime/resources/user_namespaces.ts";

interface Disk {
  readonly deps: UserNamespaceDeps;
  readonly contents: Map<string, string>;
}

function disk(entries: Readonly<Record<string, string>> = {}): Disk {
  const contents = new Map(Object.entries(entries));
  return {
    contents,
    deps: {
      podsDir: "/pods",
      sessions: new Sessions(),
      files: {
        list: () =>
          Promise.resolve([
            ...new Set(
              [...contents.keys()].map((path) => path.split("/")[2] ?? ""),
            ),
          ]),
        readTail: (path) => {
          const text = contents.get(path);
          return Promise.resolve(
            text === undefined ? undefined : new TextEncoder().encode(text),
          );
        },
        makeDirectory: () => Promise.resolve(),
        write: (path, content) => {
          contents.set(path, content);
          return Promise.resolve();
        },
      },
    },
  };
}

Deno.test("UserNamespaces.reserve() gives each pod a range of its own", async () => {
  const users = await UserNamespaces.load(disk().deps);
  await Promise.all(["a", "b"].map((uid) => users.reserve(uid)));
  await users.reserve("a");
  deepStrictEqual(
    ["a", "b", "c"].map((uid) => users.mappingOf(uid)?.hostId),
    [65_536, 131_072, undefined],
  );
  deepStrictEqual(users.mappingOf("a"), {
    hostId: 65_536,
    containerId: 0,
    length: 65_536,
  });
});

Deno.test("UserNamespaces.load() knows the ranges that an agent before gave out", async () => {
  const { deps } = disk();
  const before = await UserNamespaces.load(deps);
  await before.reserve("a");
  await before.reserve("b");
  const after = await UserNamespaces.load(deps);
  await after.reserve("c");
  deepStrictEqual(
    ["a", "b", "c"].map((uid) => after.mappingOf(uid)?.hostId),
    [65_536, 131_072, 196_608],
  );
});

Deno.test("UserNamespaces has a range free for the next pod when a session ends", async () => {
  const { deps } = disk();
  const users = await UserNamespaces.load(deps);
  await users.reserve("a");
  await users.reserve("b");
  deps.sessions.delete("a");
  await users.reserve("c");
  strictEqual(users.mappingOf("c")?.hostId, 65_536);
});

for (const text of ["", "{", '{"uidMappings":[{"hostId":70000', "\0\0\0"]) {
  Deno.test(`UserNamespaces.load() passes over the file ${JSON.stringify(text)}`, async () => {
    const { deps, contents } = disk({ "/pods/a/userns": text });
    const users = await UserNamespaces.load(deps);
    strictEqual(users.mappingOf("a"), undefined);
    await users.reserve("a");
    strictEqual(users.mappingOf("a")?.hostId, 65_536);
    strictEqual(contents.get("/pods/a/userns") === text, false);
  });
}

Deno.test("UserNamespaces.reserve() gives nothing that it could not write down", async () => {
  const { deps } = disk();
  const write = () => Promise.reject(new Error("disk full"));
  const users = await UserNamespaces.load({
    ...deps,
    files: { ...deps.files, write },
  });
  await rejects(users.reserve("a"), /disk full/);
  strictEqual(users.mappingOf("a"), undefined);
});

Deno.test("UserNamespaces.load() keeps no range for a directory that waits to be removed", async () => {
  const before = await UserNamespaces.load(disk().deps);
  await before.reserve("a");
  const text = JSON.stringify({ uidMappings: [before.mappingOf("a")] });
  const users = await UserNamespaces.load(
    disk({ "/pods/.skerry-trash-a.1/userns": text }).deps,
  );
  await users.reserve("b");
  strictEqual(users.mappingOf("b")?.hostId, 65_536);
});
