/**
 * Volumes of every kind, as programs in containers see them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  execIn,
  idOf,
  untilLogged,
  untilPodRuns,
} from "../support/e2e/inside.ts";
import { claim, configMap, secret } from "../support/local_objects.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { everyKind, livePod, mounting } from "../support/e2e/volume_pods.ts";
import { run } from "../../scripts/lib/runtime_tools.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const PASSWORD = "correct horse battery staple";

withRuntime("volumes from inside", (test) => {
  test("owners, modes and content of every kind; secrets never on the disk (VO-01, SE-10)", async (runtime) => {
    await using memory = await MemoryDirectory.make();
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      runDir: memory.path,
      args: [`--config=${await memory.debugConfig()}`],
    });
    await agent.apply("map.json", configMap("map", { a: "A", b: "B" }));
    await agent.apply("secret.json", secret("safe", { password: PASSWORD }));
    await agent.apply("all.json", everyKind());
    const pod = await untilPodRuns(agent, "all", 2);
    const id = idOf(pod, "c");
    const inside = (script: string) => execIn(runtime, id, script);
    const seen = await inside(`cd / && stat -c '%n %a %u %g' ${FILES}`);
    deepStrictEqual(seen.trimEnd().split("\n"), SEEN);
    strictEqual(await inside("cat /secret/password"), PASSWORD);
    strictEqual(
      await inside("cat /down/labels; echo; cat /down/limit"),
      'team="blue"\n64',
    );
    strictEqual(
      await inside("cd /mix; cat name password own/b"),
      `${pod.metadata.name}${PASSWORD}B`,
    );
    for (const path of ["/secret", "/down", "/mix", "/fast"]) {
      strictEqual(await inside(`stat -f -c %T ${path}`), "tmpfs\n", path);
    }
    for (const path of ["/map", "/secret", "/down", "/mix"]) {
      const words = await inside(`touch ${path}/x 2>&1 || true`);
      match(words, /Read-only/, path);
    }
    // The agent puts it nowhere else, and says it nowhere.
    ok(!(await agent.logTail(1_000)).includes("run_directory_on_disk"));
    deepStrictEqual(await filesWith(agent, PASSWORD), ["manifests"]);
    // Events stand in the log, which is one of those files.
    for (const path of ["/api/v1/pods", "/sources", "/metrics"]) {
      const { status, text } = await agent.get(path);
      strictEqual(status, 200, path);
      ok(!text.includes(PASSWORD), path);
    }
    // A file is the writer's and the group's, and outlives container and agent.
    await inside("echo kept | tee /data/x > /fast/x");
    strictEqual(
      await inside("stat -c '%a %u %g' /data/x /fast/x"),
      "644 1000 2000\n644 1000 2000\n",
    );
    await agent.kill();
    await runtime.rig.tools.killContainer(id);
    await agent.start();
    const again = await restarted(agent, "all", id);
    strictEqual(
      await execIn(runtime, idOf(again, "c"), "cat /data/x /fast/x"),
      "kept\nkept\n",
    );
    await agent.removeManifest("all.json");
    await runtime.untilGone(pod.metadata.uid, agent);
  });

  test("content follows its ConfigMap, Secret and labels, and stays when they go (VO-14)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("map.json", configMap("map", { word: "one", old: "x" }));
    await agent.apply("secret.json", secret("safe", { word: "one" }));
    await agent.apply("live.json", livePod("one"));
    const pod = await untilPodRuns(agent, "live");
    const id = idOf(pod, "c");
    const inside = (script: string) => execIn(runtime, id, script);
    const untilInside = (script: string, expected: string) =>
      untilSame(() => inside(script), expected);
    const words =
      "cat /map/word /secret/word /mix/word /down/team; ls /map /later";
    strictEqual(
      await inside(words),
      "oneoneoneone/later:\n\n/map:\nold\nword\n",
    );

    await agent.apply("map.json", configMap("map", { word: "two", new: "y" }));
    await agent.apply("secret.json", secret("safe", { word: "two" }));
    await agent.apply("later.json", configMap("later", { at: "last" }));
    await agent.apply("live.json", livePod("two"));
    await untilInside(
      words,
      "twotwotwotwo/later:\nat\n\n/map:\nnew\nword\n",
    );
    // This agent's run directory is on the disk, and it says so.
    await untilLogged(agent, /WARN.*run_directory_on_disk/);
    // As upstream, what was mounted by a sub-path stays what it was.
    strictEqual(await inside("cat /single"), "one");

    await agent.removeManifest("map.json");
    await untilLogged(agent, /FailedMount.*configmap \\"map\\" not found/);
    strictEqual(await inside("cat /map/word"), "two");
    const now = find(await agent.pods() ?? [], "live");
    strictEqual(idOf(now, "c"), id);
    await agent.apply("map.json", configMap("map", { word: "three" }));
    await untilInside("cat /map/word", "three");
  });

  test("a volume whose object is missing keeps its pod waiting, and no other (VO-14)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const missing = {
      map: [{ configMap: { name: "late" } }, /configmap \\"late\\" not found/],
      key: [
        { secret: { secretName: "half", items: [{ key: "no", path: "no" }] } },
        /references non-existent secret key: no/,
      ],
      claim: [
        { persistentVolumeClaim: { claimName: "late" } },
        /persistentvolumeclaim \\"late\\" not found/,
      ],
    } as const;
    await agent.apply("half.json", secret("half", { yes: "1" }));
    for (const [name, [source]] of Object.entries(missing)) {
      await agent.apply(`${name}.json`, mounting(name, source));
    }
    await agent.apply(
      "optional.json",
      mounting("optional", { configMap: { name: "late", optional: true } }),
    );
    await untilPodRuns(agent, "optional");
    for (const [name, [, words]] of Object.entries(missing)) {
      await untilLogged(agent, new RegExp(`FailedMount.*${words.source}`));
      const pod = find(await agent.pods() ?? [], name);
      const [status] = pod?.status?.containerStatuses ?? [];
      strictEqual(pod?.status?.phase, "Pending", name);
      strictEqual(status?.state?.waiting?.reason, "ContainerCreating", name);
    }
    await agent.apply("late.json", configMap("late", {}));
    await agent.apply("half.json", secret("half", { yes: "1", no: "0" }));
    await agent.apply("claim-late.json", claim("late"));
    for (const name of Object.keys(missing)) await untilPodRuns(agent, name);
  });

  test("a claim keeps its data when its pod is replaced, and when it is gone itself", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("claim.json", claim("data"));
    const writer = (word: string) =>
      podManifest("keeper", {
        securityContext: { fsGroup: 2000, runAsUser: 1000 },
        volumes: [{
          name: "v",
          persistentVolumeClaim: { claimName: "data" },
        }],
        containers: [{
          name: "c",
          command: ["sh", "-c", `echo ${word} >> /v/log; sleep 100000`],
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }],
      });
    const log = async (pod: Pod) =>
      await execIn(
        runtime,
        idOf(pod, "c"),
        "while ! [ -s /v/log ]; do sleep 0.1; done; cat /v/log; stat -c '%a %g' /v",
      );
    await agent.apply("keeper.json", writer("one"));
    const first = await untilPodRuns(agent, "keeper");
    strictEqual(await log(first), "one\n2777 2000\n");
    await agent.apply("keeper.json", writer("two"));
    const second = await restarted(agent, "keeper", idOf(first, "c"));
    await untilSame(() => log(second), "one\ntwo\n2777 2000\n");
    await agent.removeManifest("keeper.json");
    await agent.removeManifest("claim.json");
    await runtime.untilGone(second.metadata.uid, agent);
    const file = `${agent.rootDir}/claims/default/data/log`;
    strictEqual(await Deno.readTextFile(file), "one\ntwo\n");
    await agent.apply("claim.json", claim("data"));
    await agent.apply("keeper.json", writer("three"));
    const third = await untilPodRuns(agent, "keeper");
    await untilSame(() => log(third), "one\ntwo\nthree\n2777 2000\n");
  });

  test("kinds that need a helper are refused in words (SE-07)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const kinds = {
      nfs: { server: "10.0.0.1", path: "/x" },
      iscsi: { targetPortal: "10.0.0.1", iqn: "iqn.2001-04.x:y", lun: 0 },
      gitRepo: { repository: "ext::sh -c id", directory: ".git/hooks" },
      csi: { driver: "x.example.com" },
    };
    for (const [kind, source] of Object.entries(kinds)) {
      const name = kind.toLowerCase();
      await agent.apply(`${name}.json`, mounting(name, { [kind]: source }));
    }
    for (const kind of Object.keys(kinds)) {
      await untilLogged(agent, new RegExp(`\\b${kind}\\b`));
    }
    const pods = await agent.until(
      "all are refused",
      (pods) =>
        Object.keys(kinds).every((kind) =>
          find(pods, kind.toLowerCase())?.status?.phase === "Failed"
        ),
    );
    for (const kind of Object.keys(kinds)) {
      const { reason, message = "" } = find(pods, kind.toLowerCase())?.status ??
        {};
      match(message, new RegExp(kind), `${kind}: ${reason}`);
    }
    strictEqual((await runtime.rig.tools.tasks()).size, 0);
  });
});

/** A tmpfs of its own, as the run directory of a node is. */
class MemoryDirectory implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<MemoryDirectory> {
    const path = await Deno.makeTempDir({ prefix: "skerry-run-" });
    const mounted = await run("mount", ["-t", "tmpfs", "tmpfs", path]);
    ok(mounted.ok, mounted.text);
    return new MemoryDirectory(path);
  }

  /** A configuration that has the agent log all that it can. */
  async debugConfig(): Promise<string> {
    const path = `${this.path}/config.json`;
    const apiVersion = "skerry.dev/v1alpha1";
    const kind = "SkerryConfiguration";
    await Deno.writeTextFile(
      path,
      JSON.stringify({ apiVersion, kind, logLevel: "debug" }),
    );
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("umount", ["--lazy", this.path]);
    await Deno.remove(this.path);
  }
}

const FILES = "data fast map map/a map/deep map/deep/b secret/password " +
  "down/labels mix/name mix/own/b";

/** Mode, owner and group of {@link FILES} for user 1000 with fsGroup 2000. */
const SEEN = [
  "data 2777 0 2000",
  "fast 2777 0 2000",
  "map 2777 0 2000",
  "map/a 640 0 2000",
  "map/deep 2755 0 2000",
  "map/deep/b 440 0 2000",
  "secret/password 440 0 2000",
  "down/labels 644 0 2000",
  "mix/name 644 0 2000",
  "mix/own/b 440 0 2000",
];

/** Waits until container `c` of a pod runs with another id. */
async function restarted(
  agent: AgentProcess,
  name: string,
  id: string,
): Promise<Pod> {
  const pods = await agent.until(`${name} restarted`, (pods) => {
    const pod = find(pods, name);
    const status = pod?.status?.containerStatuses?.find((each) =>
      each.name === "c"
    );
    return status?.state?.running !== undefined && idOf(pod, "c") !== id;
  });
  const pod = find(pods, name);
  ok(pod);
  return pod;
}

/** Which directories of an agent have a file that holds a text. */
async function filesWith(
  agent: AgentProcess,
  text: string,
): Promise<readonly string[]> {
  const { code, stdout } = await new Deno.Command("grep", {
    args: ["-rlF", "--", text, agent.directory],
  }).output();
  ok(code < 2);
  const paths = new TextDecoder().decode(stdout).trimEnd().split("\n");
  const top = paths.filter((path) => path !== "").map((path) =>
    path.slice(agent.directory.length + 1).split("/")[0] ?? ""
  );
  return [...new Set(top)].sort();
}

/** Waits until a look shows exactly this. */
async function untilSame(
  look: () => Promise<string>,
  expected: string,
): Promise<void> {
  let seen = "";
  await waitUntil(`"${expected}"`, async () => {
    seen = await look();
    return seen === expected;
  }, { saw: () => seen });
}
