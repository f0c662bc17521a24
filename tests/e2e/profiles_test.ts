/**
 * Seccomp, AppArmor and SELinux, as the kernel shows them.
 *
 * @module
 */

import { match, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  execIn,
  idOf,
  statusIn,
  untilPodRuns,
  waitingOf,
} from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const SLEEP = ["sleep", "100000"];

/** A profile that lets everything through but making directories. */
const NO_MKDIR = {
  defaultAction: "SCMP_ACT_ALLOW",
  syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO" }],
};

withRuntime("profiles from inside", (test) => {
  test("seccomp profiles: the pod's, the container's, one of the node's own", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await writeProfile(agent, "teams/no-mkdir.json", JSON.stringify(NO_MKDIR));
    const container = (name: string, seccompProfile?: object) => ({
      name,
      command: SLEEP,
      ...seccompProfile && { securityContext: { seccompProfile } },
    });
    const local = {
      type: "Localhost",
      localhostProfile: "teams/no-mkdir.json",
    };
    await agent.apply(
      "pods.json",
      podManifest("pods", {
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          container("pods"),
          container("open", { type: "Unconfined" }),
          container("local", local),
        ],
      }),
    );
    await agent.apply(
      "none.json",
      podManifest("none", { containers: [container("silent")] }),
    );
    const pod = await untilPodRuns(agent, "pods", 3);
    const none = await untilPodRuns(agent, "none", 1);
    const mode = async (of: Pod, name: string) =>
      (await statusIn(runtime, idOf(of, name))).get("Seccomp");
    strictEqual(await mode(pod, "pods"), "2");
    strictEqual(await mode(pod, "open"), "0");
    strictEqual(await mode(pod, "local"), "2");
    strictEqual(await mode(none, "silent"), "0");
    const made = await execIn(
      runtime,
      idOf(pod, "local"),
      "mkdir /tmp/x 2>&1 || true; ls /tmp",
    );
    match(made, /Operation not permitted/);
  });

  test("seccompDefault gives RuntimeDefault to whoever names no profile (SE-03)", async (runtime) => {
    const directory = await Deno.makeTempDir({ prefix: "skerry-agent-" });
    try {
      await Deno.writeTextFile(
        `${directory}/config.json`,
        JSON.stringify({
          apiVersion: "kubelet.config.k8s.io/v1beta1",
          kind: "KubeletConfiguration",
          seccompDefault: true,
        }),
      );
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        directory,
        args: [`--config=${directory}/config.json`],
      });
      await agent.apply(
        "quiet.json",
        podManifest("quiet", { containers: [{ name: "c", command: SLEEP }] }),
      );
      const pod = await untilPodRuns(agent, "quiet", 1);
      const status = await statusIn(runtime, idOf(pod, "c"));
      strictEqual(status.get("Seccomp"), "2");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });

  test("a profile that cannot be applied fails the container (SE-03)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await writeProfile(agent, "broken.json", "{ not JSON");
    await Deno.writeTextFile(`${agent.directory}/outside.json`, "{}");
    await Deno.symlink(
      `${agent.directory}/outside.json`,
      `${agent.rootDir}/seccomp/link.json`,
    );
    const seccomp = (localhostProfile: string) => ({
      seccompProfile: { type: "Localhost", localhostProfile },
    });
    const drafts: Readonly<Record<string, [object, RegExp]>> = {
      missing: [
        seccomp("missing.json"),
        /^(CreateContainer|RunContainer)Error$/,
      ],
      broken: [seccomp("broken.json"), /^(CreateContainer|RunContainer)Error$/],
      link: [seccomp("link.json"), /^CreateContainerConfigError$/],
      ...hasAppArmor() ? {} : {
        apparmor: [
          { appArmorProfile: { type: "Localhost", localhostProfile: "x" } },
          /^(CreateContainer|RunContainer)Error$/,
        ],
      },
    };
    await agent.apply(
      "bad.json",
      podManifest("bad", {
        containers: Object.entries(drafts).map(([name, [securityContext]]) => ({
          name,
          command: SLEEP,
          securityContext,
        })),
      }),
    );
    const escapes = ["../broken.json", "/etc/passwd", ""];
    for (const [i, path] of escapes.entries()) {
      await agent.apply(
        `escape${i}.json`,
        podManifest(`escape${i}`, {
          containers: [{
            name: "c",
            command: SLEEP,
            securityContext: seccomp(path),
          }],
        }),
      );
    }
    const pods = await agent.until(
      "all are refused",
      (pods) =>
        Object.entries(drafts).every(([name, [, reason]]) =>
          reason.test(waitingOf(find(pods, "bad"), name)?.reason ?? "")
        ) &&
        escapes.every((_, i) =>
          find(pods, `escape${i}`)?.status?.reason === "InvalidManifest"
        ),
    );
    strictEqual(runningContainers(find(pods, "bad")), 0);
    // Only the sandbox of "bad" may have a process.
    strictEqual((await runtime.rig.tools.tasks()).size, 1);
  });

  test("AppArmor confines by the runtime's profile", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "armor.json",
      podManifest("armor", {
        securityContext: { appArmorProfile: { type: "RuntimeDefault" } },
        containers: [{ name: "c", command: SLEEP }],
      }),
    );
    const pod = await untilPodRuns(agent, "armor", 1);
    const label = "cat /proc/1/attr/current";
    match(
      await execIn(runtime, idOf(pod, "c"), label),
      /\(enforce\)/,
    );
  }, { skip: hasAppArmor() ? undefined : "this kernel has no AppArmor" });

  test("SELinux labels the process as the pod asks", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply(
      "label.json",
      podManifest("label", {
        securityContext: { seLinuxOptions: { level: "s0:c123,c456" } },
        containers: [{ name: "c", command: SLEEP }],
      }),
    );
    const pod = await untilPodRuns(agent, "label", 1);
    const label = "cat /proc/1/attr/current";
    match(
      await execIn(runtime, idOf(pod, "c"), label),
      /s0:c123,c456/,
    );
  }, { skip: hasSeLinux() ? undefined : "this kernel has no SELinux" });
});

function hasAppArmor(): boolean {
  return isThere("/sys/kernel/security/apparmor/profiles");
}

function hasSeLinux(): boolean {
  return isThere("/sys/fs/selinux/enforce");
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

async function writeProfile(
  agent: AgentProcess,
  path: string,
  text: string,
): Promise<void> {
  const file = `${agent.rootDir}/seccomp/${path}`;
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(file, text);
}
