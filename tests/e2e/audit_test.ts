/**
 * What a sandboxed agent really uses, through a whole life, lies inside its grants.
 *
 * @module
 */

import { deepStrictEqual, doesNotMatch, match, ok } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

withRuntime("audit", (test) => {
  test("an agent uses nothing outside its grants in a whole life", async (runtime) => {
    const auditFile = await Deno.makeTempFile({ prefix: "skerry-audit-" });
    try {
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        auditFile,
      });
      const flags = await agent.lockedFlags();
      await wholeLife(agent, (id) => runtime.rig.tools.killContainer(id));
      await agent.terminate();
      const uses = parseUses(await Deno.readTextFile(auditFile));
      ok(uses.length > 100, `only ${uses.length} uses were written`);
      const granted = parseGrants(flags);
      deepStrictEqual(
        [...new Set(uses.filter((use) => !isInside(use, granted)).map(text))],
        [],
      );
      // What is granted and never used would be granted for nothing.
      const used = new Set(uses.map(({ permission }) => permission));
      for (const kind of ["read", "write", "net", "sys"]) {
        ok(used.has(kind), kind);
      }
    } finally {
      await Deno.remove(auditFile);
    }
  });

  test("the grants hold no run, ffi, env, nor anything unscoped", async (runtime) => {
    await using agent = await AgentProcess.create(runtime.agentOptions());
    const flags = await agent.lockedFlags();
    ok(flags.includes("--no-prompt"));
    ok(flags.includes("--ignore-env"));
    ok(flags.includes("--deny-import"));
    for (const flag of flags) {
      doesNotMatch(flag, /^(-A|--allow-(all|run|ffi|env|import))/);
      if (flag.startsWith("--allow-")) match(flag, /^--allow-\w+=./);
    }
    const granted = parseGrants(flags);
    const own = [agent.directory, runtime.rig.directory];
    for (const path of granted.get("write") ?? []) {
      ok(
        own.some((directory) => path.startsWith(`${directory}/`)),
        path,
      );
    }
    for (const path of granted.get("read") ?? []) {
      ok(
        own.some((directory) => path.startsWith(`${directory}/`)) ||
          /^\/etc\/(hosts|resolv\.conf)$/.test(path),
        path,
      );
    }
    deepStrictEqual(granted.get("sys"), [
      "cpus",
      "hostname",
      "networkInterfaces",
      "statfs",
      "systemMemoryInfo",
    ]);
  });
});

/** Create, crash, edit, refuse, remove, logs, metrics, restart: what an agent does. */
async function wholeLife(
  agent: AgentProcess,
  kill: (containerId: string) => Promise<void>,
): Promise<void> {
  await agent.apply("web.json", web("one"));
  const pods = await agent.until(
    "web running",
    (pods) => runningContainers(find(pods, "web")) === 1,
  );
  const status = find(pods, "web")?.status?.containerStatuses?.[0];
  await kill(status?.containerID?.replace(/^.*:\/\//, "") ?? "");
  await agent.until(
    "web restarted",
    (pods) => {
      const status = find(pods, "web")?.status?.containerStatuses?.[0];
      return status?.restartCount === 1 && status.state?.running !== undefined;
    },
  );
  await agent.get("/containerLogs/default/web-edge1/main?tailLines=5");
  await agent.get("/metrics");
  await agent.untilAnswer("/healthz", /^ok/);
  await agent.apply("web.json", "{{{");
  await agent.until(
    "web kept",
    (pods) =>
      find(pods, "web")?.status?.conditions?.some(({ reason }) =>
        reason === "InvalidManifest"
      ) ?? false,
  );
  await agent.kill();
  await agent.start();
  await agent.until(
    "web adopted",
    (pods) => runningContainers(find(pods, "web")) === 1,
  );
  await agent.apply("web.json", web("two"));
  await agent.until(
    "web replaced",
    (pods) =>
      pods.length === 1 && runningContainers(find(pods, "web")) === 1 &&
      find(pods, "web")?.spec.containers[0]?.env?.[0]?.value === "two",
  );
  await agent.removeManifest("web.json");
  await agent.until("web gone", (pods) => pods.length === 0);
}

function web(value: string): Record<string, unknown> {
  return podManifest("web", {
    containers: [{
      name: "main",
      command: ["sh", "-c", "echo hello; sleep 100000"],
      env: [{ name: "WHICH", value }],
      volumeMounts: [{ name: "data", mountPath: "/data" }],
      lifecycle: { preStop: { exec: { command: ["true"] } } },
    }],
    volumes: [{ name: "data", emptyDir: {} }],
  });
}

interface Use {
  readonly permission: string;
  readonly value: string | null;
}

function parseUses(lines: string): Use[] {
  return lines.trim().split("\n").map((line) => JSON.parse(line));
}

function text(use: Use): string {
  return `${use.permission} ${use.value}`;
}

/** What each kind of flag lists: `--allow-read=a,b` is `read` → `a`, `b`. */
function parseGrants(
  flags: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    flags.flatMap((flag) => {
      const [, kind = "", targets = ""] = /^--allow-(\w+)=(.+)$/.exec(flag) ??
        [];
      return kind === "" ? [] : [[kind, targets.split(",")]];
    }),
  );
}

function isInside(
  use: Use,
  granted: ReadonlyMap<string, readonly string[]>,
): boolean {
  const { permission, value } = use;
  // Nothing is granted of the environment: whoever asks is told that it is empty.
  if (permission === "env") return true;
  if (value === null) return false;
  const targets = granted.get(permission) ?? [];
  switch (permission) {
    case "read":
    case "write":
      return targets.some((target) =>
        value === target || value.startsWith(`${target}/`)
      );
    case "net":
    case "sys":
      return targets.includes(value);
    default:
      return false;
  }
}
