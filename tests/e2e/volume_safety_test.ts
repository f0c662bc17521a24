/**
 * Volumes against whoever would misuse them: what lies outside stays untouched, and
 * what is written is whole whenever the agent dies.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  execIn,
  idOf,
  untilLogged,
  untilPodRuns,
  waitingOf,
} from "../support/e2e/inside.ts";
import { configMap, secret } from "../support/local_objects.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { run } from "../../scripts/lib/runtime_tools.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];

withRuntime("volumes under attack", (test) => {
  test("hostPath types are checked and made below a root, and refused elsewhere (VO-08)", async (runtime) => {
    const host = await Deno.makeTempDir({ prefix: "skerry-host-" });
    try {
      await Deno.mkdir(`${host}/root`);
      await Deno.mkdir(`${host}/other`);
      await Deno.symlink(`${host}/other`, `${host}/root/out`);
      await Deno.symlink(`${host}/nowhere`, `${host}/root/dangling`);
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        args: [`--host-path-roots=${host}/root`],
      });
      const good = {
        made: ["root/deep/made", "DirectoryOrCreate"],
        file: ["root/file", "FileOrCreate"],
        unseen: ["other", ""],
      };
      const bad = {
        dir: ["root/later", "Directory", /later is not a directory/],
        socket: ["root/file", "Socket", /file is not a socket file/],
        device: ["root/file", "CharDevice", /is not a character device/],
        dangling: ["root/dangling", "File", /dangling is not a file/],
        out: ["root/out/x", "DirectoryOrCreate", /cannot be made|may not look/],
        elsewhere: ["other", "Directory", /--host-path-roots/],
      } as const;
      for (const [name, [path, type]] of Object.entries({ ...good, ...bad })) {
        await agent.apply(
          `${name}.json`,
          withHostPath(name, { path: `${host}/${path}`, type }),
        );
      }
      for (const name of Object.keys(good)) await untilPodRuns(agent, name);
      for (const [name, [, , words]] of Object.entries(bad)) {
        await untilLogged(
          agent,
          new RegExp(`default/${name}-.*FailedMount.*(${words.source})`),
        );
        const pod = find(await agent.pods() ?? [], name);
        strictEqual(
          waitingOf(pod, "c")?.reason,
          "ContainerCreating",
          name,
        );
      }
      strictEqual(await modeOf(`${host}/root/deep/made`), 0o755);
      strictEqual(await modeOf(`${host}/root/file`), 0o644);
      deepStrictEqual(await namesIn(`${host}/other`), []);
      await Deno.mkdir(`${host}/root/later`);
      await untilPodRuns(agent, "dir");
    } finally {
      await Deno.remove(host, { recursive: true });
    }
  });

  test("what is mounted in a pod's directory is left with its files, and reported (VO-09)", async (runtime) => {
    const data = await Deno.makeTempDir({ prefix: "skerry-data-" });
    try {
      await Deno.writeTextFile(`${data}/precious`, "keep me");
      await using agent = await AgentProcess.start(runtime.agentOptions());
      await agent.apply(
        "host.json",
        podManifest("host", {
          volumes: [{ name: "v", emptyDir: {} }],
          containers: [{
            name: "c",
            command: ["sh", "-c", "echo x > /v/x; mkdir /v/m; sleep 100000"],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          }],
        }),
      );
      const pod = await untilPodRuns(agent, "host");
      await execIn(runtime, idOf(pod, "c"), "until [ -d /v/m ]; do :; done");
      const { uid } = pod.metadata;
      const directory = `${agent.rootDir}/pods/${uid}`;
      const volume = `${directory}/volumes/kubernetes.io~empty-dir/v`;
      // The names differ: by them it is seen where each one has gone to.
      const mounts = [`${volume}/m`, `${directory}/other`];
      await Deno.mkdir(`${directory}/other`);
      for (const path of mounts) await mustRun("mount", ["--bind", data, path]);
      try {
        // It is an orphan by the time that the agent is back.
        await agent.kill();
        await agent.removeManifest("host.json");
        await agent.start();
        await untilLogged(agent, /still mounted at/);
        await untilGone(`${volume}/x`);
        for (const [number, path] of mounts.entries()) {
          // What it lies in is no pod's directory any more.
          const moved = await movedTo(agent, path);
          mounts[number] = moved;
          await untilLogged(agent, new RegExp(`still mounted at.*${moved}`));
          strictEqual(await Deno.readTextFile(`${moved}/precious`), "keep me");
        }
        await untilGone(`${mounts[0]}/../x`);
      } finally {
        for (const path of mounts) await mustRun("umount", [path]);
      }
      await runtime.untilGone(uid, agent);
      strictEqual(await Deno.readTextFile(`${data}/precious`), "keep me");
    } finally {
      await Deno.remove(data, { recursive: true });
    }
  });

  test("mounts spread as named, and one that a container made is left and reported (VO-09, VO-12)", async (runtime) => {
    await using shared = await SharedDirectory.make();
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      directory: shared.path,
    });
    const names = ["None", "HostToContainer", "Bidirectional"];
    await agent.apply(
      "spread.json",
      podManifest("spread", {
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [{
          name: "c",
          command: SLEEP,
          securityContext: { privileged: true },
          volumeMounts: names.map((mountPropagation) => ({
            name: "v",
            mountPath: `/${mountPropagation}`,
            mountPropagation,
          })),
        }],
      }),
    );
    const pod = await untilPodRuns(agent, "spread");
    const { uid } = pod.metadata;
    const inside = (script: string) => execIn(runtime, idOf(pod, "c"), script);
    const volume =
      `${agent.rootDir}/pods/${uid}/volumes/kubernetes.io~empty-dir/v`;
    const mounts = [`${volume}/host`, `${volume}/own`];
    await Deno.mkdir(`${volume}/host`);
    await mustRun("mount", ["-t", "tmpfs", "tmpfs", `${volume}/host`]);
    await Deno.writeTextFile(`${volume}/host/x`, "");
    await inside("cd /Bidirectional && mkdir own && mount -t tmpfs t own");
    await inside("touch /Bidirectional/own/precious");
    try {
      const seen = await inside(
        "cd /; ls -d */host/x */own/precious 2>/dev/null || true",
      );
      deepStrictEqual(seen.trimEnd().split("\n"), [
        "Bidirectional/host/x",
        "Bidirectional/own/precious",
        "HostToContainer/host/x",
        "HostToContainer/own/precious",
      ]);
      await agent.removeManifest("spread.json");
      await untilLogged(agent, /still mounted at/);
      for (const [number, path] of mounts.entries()) {
        mounts[number] = await movedTo(agent, path);
        await untilLogged(
          agent,
          new RegExp(`still mounted at.*${mounts[number]}`),
        );
      }
      deepStrictEqual(await namesIn(mounts[1] ?? ""), ["precious"]);
    } finally {
      for (const path of mounts) await mustRun("umount", [path]);
    }
    await runtime.untilGone(uid, agent);
  });

  test("readers see whole files only, however often the agent is SIGKILLed while they change (VO-06)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const apply = async (version: number) => {
      await agent.apply("map.json", configMap("map", contentOf(version)));
      await agent.apply("secret.json", secret("safe", contentOf(version)));
    };
    await apply(0);
    await agent.apply("reader.json", readerPod());
    const pod = await untilPodRuns(agent, "reader");
    const inside = (script: string) =>
      execIn(runtime, idOf(pod, "reader"), script);
    await inside("until [ -s /out/seen ]; do sleep 0.1; done");
    const seen = `${agent.rootDir}/pods/${pod.metadata.uid}` +
      "/volumes/kubernetes.io~empty-dir/out/seen";
    const newest = async () =>
      Math.max(...(await Deno.readTextFile(seen)).split("\n").map(Number));
    let version = 0;
    for (let round = 0; round < KILLS; round++) {
      // Each agent gets to write something, however long its start took.
      const before = version;
      let end = Infinity;
      await waitUntil("changes", async () => {
        await apply(++version);
        if (end === Infinity && await newest() > before) {
          end = performance.now() + Math.random() * 1_500;
        }
        return performance.now() >= end;
      });
      await agent.kill();
      await agent.start();
    }
    const last = linesOf(version);
    for (const file of FILES) {
      await waitUntil(`${file} is the last version`, async () => {
        return await inside(`cat /volumes/${file}`) === last;
      });
    }
    strictEqual(await inside("cat /out/bad"), "");
    const versions = (await inside("sort -un /out/seen | wc -l")).trim();
    ok(Number(versions) > KILLS, `${versions} versions were seen`);
    for (const volume of ["map", "safe"]) {
      strictEqual(await inside(`ls -A /volumes/${volume}`), "a\nb\n");
    }
    const now = find(await agent.pods() ?? [], "reader");
    strictEqual(idOf(now, "reader"), idOf(pod, "reader"));
    await agent.removeManifest("reader.json");
    await runtime.untilGone(pod.metadata.uid, agent);
  });
});

/** A directory from which mounts spread, as they do on a node that systemd has started. */
class SharedDirectory implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<SharedDirectory> {
    const path = await Deno.makeTempDir({ prefix: "skerry-agent-" });
    await mustRun("mount", ["--bind", path, path]);
    await mustRun("mount", ["--make-shared", path]);
    return new SharedDirectory(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await mustRun("umount", ["--lazy", this.path]);
    await Deno.remove(this.path, { recursive: true });
  }
}

const KILLS = 10;

/** Lines of a file, so many that no single write holds it. */
const LINES = 20_000;

const FILES = ["map/a", "map/b", "safe/a", "safe/b"];

function linesOf(version: number): string {
  return `${version}\n`.repeat(LINES);
}

function contentOf(version: number): Record<string, string> {
  return { a: linesOf(version), b: linesOf(version) };
}

/** Reads files for ever and notes which are not of one version as a whole. */
function readerPod(): Record<string, unknown> {
  const check = FILES.map((file) =>
    `uniq -c /volumes/${file} > /out/now || echo gone >> /out/bad
     set -- $(cat /out/now)
     [ $# = 2 ] && [ $1 = ${LINES} ] || echo "${file}: $*" >> /out/bad
     echo $2 >> /out/seen`
  ).join("\n");
  return podManifest("reader", {
    volumes: [
      { name: "map", configMap: { name: "map" } },
      { name: "safe", secret: { secretName: "safe" } },
      { name: "out", emptyDir: {} },
    ],
    containers: [{
      name: "reader",
      command: ["sh", "-c", `: > /out/bad; while :; do ${check}\ndone`],
      volumeMounts: [
        ...["map", "safe"].map((name) => ({
          name,
          mountPath: `/volumes/${name}`,
        })),
        { name: "out", mountPath: "/out" },
      ],
    }],
  });
}

function withHostPath(
  name: string,
  hostPath: { readonly path: string; readonly type: string },
): Record<string, unknown> {
  return podManifest(name, {
    volumes: [{ name: "v", hostPath }],
    containers: [{
      name: "c",
      command: SLEEP,
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    }],
  });
}

/** Waits until something of a pod's directory waits to be removed, and says where it is now. */
async function movedTo(agent: AgentProcess, path: string): Promise<string> {
  const parent = `${agent.rootDir}/pods`;
  const parts = path.slice(parent.length + 1).split("/");
  let found = "";
  await waitUntil(`"${path}" among what is removed`, async () => {
    for (const trash of await namesIn(parent)) {
      if (!trash.startsWith(".skerry-")) continue;
      for (let depth = 1; depth < parts.length; depth++) {
        const moved = [parent, trash, ...parts.slice(depth)].join("/");
        const isThere = await Deno.lstat(moved).then(() => true, () => false);
        if (isThere) found = moved;
      }
    }
    return found !== "";
  });
  return found;
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.lstat(path)).mode ?? 0) & 0o7777;
}

async function namesIn(path: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
}

async function mustRun(
  command: string,
  args: readonly string[],
): Promise<void> {
  const result = await run(command, args);
  ok(result.ok, result.text);
}

async function untilGone(path: string): Promise<void> {
  await waitUntil(`no "${path}"`, async () => {
    return await Deno.lstat(path).then(() => false, () => true);
  });
}
