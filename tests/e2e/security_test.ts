/**
 * The security settings of pods, as their processes and the kernel see them.
 *
 * @module
 */

import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  execIn,
  idOf,
  statusIn,
  untilLogged,
  untilPodRuns,
  waitingOf,
} from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import {
  busyboxRecipe,
  type ImageRecipe,
} from "../../scripts/lib/oci_image.ts";
import { firstExisting } from "../../scripts/lib/runtime_tools.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];
const NUMERIC_IMAGE = "localhost/numeric-user:1";
const NAMED_IMAGE = "localhost/named-user:1";

/** Bits of the kernel's capability sets; capabilities(7). */
const CHOWN = 1n << 0n;
const NET_ADMIN = 1n << 12n;
const NET_RAW = 1n << 13n;

withRuntime("security from inside", (test) => {
  test("users and groups; runAsNonRoot against the image's user", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const nonRoot = { securityContext: { runAsNonRoot: true } };
    await agent.apply(
      "ids.json",
      podManifest("ids", {
        securityContext: {
          runAsUser: 1000,
          runAsGroup: 3000,
          fsGroup: 2000,
          supplementalGroups: [4000],
        },
        containers: [
          { name: "pods", command: SLEEP },
          {
            name: "own",
            command: SLEEP,
            securityContext: { runAsUser: 1001, runAsGroup: 3001 },
          },
        ],
      }),
    );
    await agent.apply(
      "image.json",
      podManifest("image", {
        containers: [
          { name: "numeric", image: NUMERIC_IMAGE, command: SLEEP, ...nonRoot },
          { name: "named", image: NAMED_IMAGE, command: SLEEP },
          {
            name: "named-nonroot",
            image: NAMED_IMAGE,
            command: SLEEP,
            ...nonRoot,
          },
          { name: "root", command: SLEEP, ...nonRoot },
          {
            name: "asks-root",
            command: SLEEP,
            securityContext: { runAsNonRoot: true, runAsUser: 0 },
          },
        ],
      }),
    );
    const pods = await agent.until(
      "two and two run",
      (pods) =>
        runningContainers(find(pods, "ids")) === 2 &&
        runningContainers(find(pods, "image")) === 2 &&
        ["named-nonroot", "root", "asks-root"].every((name) =>
          waitingOf(find(pods, "image"), name) !== undefined &&
          waitingOf(find(pods, "image"), name)?.reason !== "ContainerCreating"
        ),
    );
    const ids = find(pods, "ids");
    const ofPod = await statusIn(runtime, idOf(ids, "pods"));
    strictEqual(ofPod.get("Uid"), "1000 1000 1000 1000");
    strictEqual(ofPod.get("Gid"), "3000 3000 3000 3000");
    strictEqual(ofPod.get("Groups"), "2000 3000 4000");
    const own = await statusIn(runtime, idOf(ids, "own"));
    strictEqual(own.get("Uid"), "1001 1001 1001 1001");
    strictEqual(own.get("Gid"), "3001 3001 3001 3001");

    const image = find(pods, "image");
    const numeric = await statusIn(runtime, idOf(image, "numeric"));
    strictEqual(numeric.get("Uid"), "1234 1234 1234 1234");
    const named = await statusIn(runtime, idOf(image, "named"));
    strictEqual(named.get("Uid"), "1000 1000 1000 1000");
    for (
      const [name, words] of [
        ["named-nonroot", /non-numeric user \(app\), cannot verify/],
        ["root", /image will run as root/],
        ["asks-root", /runAsUser breaks non-root policy/],
      ] as const
    ) {
      const waiting = waitingOf(image, name);
      strictEqual(waiting?.reason, "CreateContainerConfigError", name);
      match(waiting?.message ?? "", words);
    }
    // No refused container was even made.
    strictEqual(await countContainers(runtime, image), 2);
  });

  test("capabilities, privileges and what is hidden of /proc and /sys", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const container = (name: string, securityContext: object) => ({
      name,
      command: SLEEP,
      securityContext,
    });
    const drafts = [
      container("plain", {}),
      container("bare", {
        capabilities: { drop: ["ALL"] },
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      }),
      container("net", {
        capabilities: { add: ["NET_ADMIN"], drop: ["CAP_NET_RAW"] },
      }),
      container("all", { privileged: true }),
    ];
    await agent.apply("caps.json", podManifest("caps", { containers: drafts }));
    const pod = await untilPodRuns(agent, "caps", drafts.length);
    const look = (name: string) => statusIn(runtime, idOf(pod, name));
    const mounts = (name: string) =>
      execIn(runtime, idOf(pod, name), "cat /proc/1/mountinfo");

    const plain = await look("plain");
    strictEqual(capabilities(plain) & (CHOWN | NET_RAW), CHOWN | NET_RAW);
    strictEqual(capabilities(plain) & NET_ADMIN, 0n);
    strictEqual(plain.get("NoNewPrivs"), "0");
    const seen = await mounts("plain");
    match(seen, / \/ \/ rw[, ]/);
    match(seen, / \/proc\/sys ro[, ]/);
    match(seen, / \/proc\/keys /);
    match(seen, / \/sys ro[, ]/);

    const bare = await look("bare");
    strictEqual(capabilities(bare), 0n);
    strictEqual(bare.get("CapBnd"), "0000000000000000");
    strictEqual(bare.get("NoNewPrivs"), "1");
    match(await mounts("bare"), / \/ \/ ro[, ]/);

    const net = capabilities(await look("net"));
    strictEqual(net & NET_ADMIN, NET_ADMIN);
    strictEqual(net & NET_RAW, 0n);

    const all = await look("all");
    const own = /^CapEff:\t(\w+)$/m.exec(
      await Deno.readTextFile(`/proc/${runtime.rig.pid}/status`),
    );
    strictEqual(all.get("CapEff"), own?.[1]);
    strictEqual(all.get("Seccomp"), "0");
    const open = await mounts("all");
    match(open, / \/sys rw[, ]/);
    doesNotMatch(open, / \/proc\/keys /);
    const devices = "ls /dev | wc -l";
    const [few, many] = await Promise.all([
      execIn(runtime, idOf(pod, "plain"), devices),
      execIn(runtime, idOf(pod, "all"), devices),
    ]);
    ok(Number(many) > Number(few), `${many} devices, not ${few}`);
  });

  test("what the runtime cannot do is refused by the upstream reason", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const containers = [{ name: "c", command: SLEEP }];
    await agent.apply(
      "strict.json",
      podManifest("strict", {
        securityContext: { supplementalGroupsPolicy: "Strict" },
        containers,
      }),
    );
    await agent.apply(
      "users.json",
      podManifest("users", { hostUsers: false, containers }),
    );
    await untilLogged(agent, /SupplementalGroupsPolicyNotSupported/);
    await untilLogged(agent, /PodFeatureUnsupported.*user namespace/);
    strictEqual((await runtime.rig.tools.tasks()).size, 0);
  });

  test("sysctls of the safe list and those that the operator allows (SE-06)", async (runtime) => {
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      args: ["--allowed-unsafe-sysctls=kernel.msg*"],
    });
    const sysctls = (all: Readonly<Record<string, string>>) => ({
      securityContext: {
        sysctls: Object.entries(all).map(([name, value]) => ({ name, value })),
      },
      containers: [{ name: "c", command: SLEEP }],
    });
    await agent.apply(
      "good.json",
      podManifest(
        "good",
        sysctls({
          "net.ipv4.ip_local_port_range": "2048 61000",
          "kernel/shm_rmid_forced": "1",
          "kernel.msgmax": "16384",
        }),
      ),
    );
    const refused: Readonly<Record<string, object>> = {
      unsafe: sysctls({ "kernel.sem": "250 32000 32 128" }),
      node: sysctls({ "kernel.core_pattern": "x" }),
      inject: sysctls({
        "kernel.shm_rmid_forced": "1+kernel.core_pattern=|/x",
      }),
    };
    for (const [name, draft] of Object.entries(refused)) {
      await agent.apply(
        `${name}.json`,
        podManifest(name, { ...draft, containers: [{ name: "c" }] }),
      );
    }
    const pod = await untilPodRuns(agent, "good", 1);
    const read = (path: string) =>
      execIn(runtime, idOf(pod, "c"), `cat /proc/sys/${path}`);
    strictEqual(await read("net/ipv4/ip_local_port_range"), "2048\t61000\n");
    strictEqual(await read("kernel/shm_rmid_forced"), "1\n");
    strictEqual(await read("kernel/msgmax"), "16384\n");
    await agent.until(
      "the others are refused",
      (pods) =>
        Object.keys(refused).every((name) =>
          /^(SysctlForbidden|InvalidManifest)$/.test(
            find(pods, name)?.status?.reason ?? "",
          )
        ),
    );
    // The good pod's two, and nothing of the others.
    strictEqual((await runtime.rig.tools.tasks()).size, 2);
  });
}, { images: await imagesWithUsers() });

async function imagesWithUsers(): Promise<ImageRecipe[]> {
  const busyboxPath = await firstExisting(["/bin/busybox", "/usr/bin/busybox"]);
  return await Promise.all([
    busyboxRecipe({ ref: NUMERIC_IMAGE, busyboxPath, user: "1234" }),
    busyboxRecipe({ ref: NAMED_IMAGE, busyboxPath, user: "app" }),
  ]);
}

function capabilities(status: ReadonlyMap<string, string>): bigint {
  return BigInt(`0x${status.get("CapEff")}`);
}

/** The containers that the runtime has for a pod, its sandbox aside. */
async function countContainers(
  runtime: TestRuntime,
  pod: Pod | undefined,
): Promise<number> {
  const { text } = await runtime.rig.tools.ctr([
    "containers",
    "ls",
    `labels."io.kubernetes.pod.uid"==${pod?.metadata.uid}`,
    "-q",
  ]);
  return text.trim().split("\n").length - 1;
}
