/**
 * An agent that stood still, or was busy, does not make its pods pay for it.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { containerOf, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { type Outside, outside, shell } from "../support/e2e/outside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { pause } from "../../scripts/lib/wait_until.ts";
import {
  countOf,
  untilPodReady,
  untilPodReport,
} from "../support/e2e/probed_pods.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/**
 * How long a target has for its answer. It takes half a second of its own, and on a busy
 * machine far longer; what stands still does so in proportion.
 */
const TIMEOUT_SECONDS = 5;

/** Asked each second. */
const STRICT = {
  periodSeconds: 1,
  timeoutSeconds: TIMEOUT_SECONDS,
  failureThreshold: 2,
};

/** Longer than it takes a probe of that kind to end its container. */
const LONG_MS = 2_500 * TIMEOUT_SECONDS;

/** Longer than an attempt may take. */
const SHORT_MS = 1_200 * TIMEOUT_SECONDS;

/** Writes down when it ran, in seconds since the machine's start, and takes its time. */
const NOTE = 'cut -d" " -f1 /proc/uptime >> /out/seen; sleep 0.4';

interface Target {
  readonly name: string;
  readonly command: readonly string[];
  readonly probe: Readonly<Record<string, unknown>>;
}

const CGI =
  `#!/bin/sh\\n${NOTE}\\nprintf "Status: 200 OK\\\\r\\\\n\\\\r\\\\n"\\n`;

const TARGETS: readonly Target[] = [
  {
    name: "exec",
    command: ["sleep", "100000"],
    probe: { exec: { command: shell(NOTE) } },
  },
  {
    name: "http",
    command: shell(
      `mkdir -p /www/cgi-bin; printf '${CGI}' > /www/cgi-bin/ok
      chmod +x /www/cgi-bin/ok; exec httpd -f -p 8080 -h /www`,
    ),
    probe: { httpGet: { path: "/cgi-bin/ok", port: 8080 } },
  },
  {
    name: "tcp",
    command: ["nc", "-ll", "-p", "9090", "-e", ...shell(NOTE)],
    probe: { tcpSocket: { port: 9090 } },
  },
];

withRuntime("standstill", (test) => {
  test("SIGSTOP and SIGCONT of the agent restart nothing, and no target is asked in a burst (CL-04, N07)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const targets = await probed(agent);
    const containers = [{ name: "c", command: ["sleep", "100000"] }];
    await agent.apply("mortal.json", podManifest("mortal", { containers }));
    const mortal = idOf(await untilPodRuns(agent, "mortal"), "c");
    const before = await agent.pods() ?? [];
    for (let round = 0; round < 2; round++) {
      await untilAsked(targets, 2);
      // At another moment of the probes' period each time.
      await pause(round * 500);
      const lists = await listsOf(agent);
      Deno.kill(agent.pid, "SIGSTOP");
      if (round === 1) await runtime.rig.tools.killContainer(mortal);
      await pause(LONG_MS);
      const since = await uptime();
      Deno.kill(agent.pid, "SIGCONT");
      await pause(1_000);
      const caughtUp = await listsOf(agent) - lists;
      // One each second besides, and one for the death.
      const passed = await uptime() - since;
      ok(caughtUp <= 2 + passed, `${caughtUp} lists for a standstill`);
      await untilAsked(targets, 2);
      for (const { name, out } of targets) {
        const asked = (await times(out))
          .filter((at) => at >= since && at < since + 1);
        // Two probes ask, each in its own time; many ticks of each were missed.
        ok(asked.length <= 4, `${name} was asked at ${asked}`);
      }
    }
    await agent.until("the dead container again", (pods) => {
      const seen = containerOf(find(pods, "mortal"), "c");
      return seen?.restartCount === 1 && seen.state?.running !== undefined;
    });
    await assertUnhurt(agent, before);
  });

  test("standstills that are hardly longer than a probe's timeout prove nothing (CL-04, PF-05)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const targets = await probed(agent);
    const before = await agent.pods() ?? [];
    for (let round = 0; round < 4; round++) {
      // Some attempts are under way each time, and all of them would be too late.
      await pause(300 + round * 100);
      Deno.kill(agent.pid, "SIGSTOP");
      await pause(SHORT_MS);
      Deno.kill(agent.pid, "SIGCONT");
    }
    await untilAsked(targets, 2);
    await assertUnhurt(agent, before);
  });

  test("an agent that is busy with manifests takes no probe for failed (PF-05)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const targets = await probed(agent);
    const before = await agent.pods() ?? [];
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 40; at++) {
        await agent.apply(`map${at}.json`, bigMap(`map${at}`, `${round}`));
      }
      await agent.apply("deep.yaml", DEEP.repeat(round + 1));
      await untilAsked(targets, 3);
    }
    await assertUnhurt(agent, before);
  });
});

/** A megabyte of text in a thousand entries. */
function bigMap(name: string, round: string): Record<string, unknown> {
  const value = round.repeat(900);
  const data = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`key-${at}`, value]),
  );
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

/** Three megabytes of YAML that nests as deep as it may, and is no manifest. */
const DEEP = `${"- ".repeat(40)}x\n`.repeat(36_000);

/** One pod for each kind of probe; waits until all of them are asked and ready. */
async function probed(
  agent: AgentProcess,
): Promise<readonly (Target & { readonly out: Outside })[]> {
  const targets = [];
  for (const target of TARGETS) {
    const { name, command, probe } = target;
    const out = await outside(agent, name);
    targets.push({ ...target, out });
    const asked = { ...probe, ...STRICT };
    await agent.apply(
      `${name}.json`,
      podManifest(name, {
        containers: [{
          name: "c",
          command,
          // No other is asked before its program listens.
          startupProbe: { ...asked, failureThreshold: 1000 },
          livenessProbe: asked,
          readinessProbe: { ...asked, failureThreshold: 5 },
          ...out.mount,
        }],
        volumes: out.volumes,
      }),
    );
  }
  for (const { name } of targets) await untilPodReady(agent, name);
  return targets;
}

/** Waits until each target was asked so many times more. */
async function untilAsked(
  targets: readonly (Target & { readonly out: Outside })[],
  count: number,
): Promise<void> {
  // Two probes of each kind ask.
  const wanted = await Promise.all(
    targets.map(async ({ out }) => (await out.lines()).length + 2 * count),
  );
  for (const [at, { out }] of targets.entries()) {
    await out.untilLines(wanted[at] ?? 0);
  }
}

/** None of these pods is another than before, and none was told to be ill. */
async function assertUnhurt(
  agent: AgentProcess,
  before: readonly Pod[],
): Promise<void> {
  const after = await agent.pods() ?? [];
  for (const { name } of TARGETS) {
    const container = containerOf(find(after, name), "c");
    strictEqual(container?.restartCount, 0, name);
    strictEqual(idOf(find(after, name), "c"), idOf(find(before, name), "c"));
    strictEqual(container?.ready, true, name);
    const report = await untilPodReport(agent, name);
    strictEqual(countOf(report, "Unhealthy", /^Liveness/), 0, name);
    strictEqual(countOf(report, "Killing", /./), 0, name);
  }
}

async function times(out: Outside): Promise<readonly number[]> {
  return (await out.lines()).map(Number);
}

async function uptime(): Promise<number> {
  const text = await Deno.readTextFile("/proc/uptime");
  return Number(text.split(" ")[0]);
}

/** How often the agent has listed what the runtime holds. */
async function listsOf(agent: AgentProcess): Promise<number> {
  const { text } = await agent.get("/metrics");
  const found = /^kubelet_pleg_relist_duration_seconds_count (\d+)$/m.exec(
    text,
  );
  return Number(found?.[1]);
}
