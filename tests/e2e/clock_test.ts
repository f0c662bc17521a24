/**
 * An agent whose wall clock is set while controllers are at work, on a real runtime.
 *
 * @module
 */

import { match, ok } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { cronJobManifest, jobManifest } from "../support/e2e/jobs.ts";
import { type Outside, outside, shell } from "../support/e2e/outside.ts";
import { SetClock } from "../support/e2e/set_clock.ts";
import { versionsOfAre, webDeployment } from "../support/e2e/web_deployment.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const DAY_MS = 86_400_000;

/** How far the clock is ahead before it is set right. */
const JUMPS: Readonly<Record<string, () => number>> = {
  "from 1970 to now": () => 60_000 - Date.now(),
  "back by a day": () => DAY_MS,
};

/** Longer than a test takes, and shorter than any jump. */
const LONG_S = 6 * 3600;
/** Over within the test, and not before the clock is set. */
const SHORT_S = 20;

withRuntime("a clock that is set", (test) => {
  for (const [jump, aheadMs] of Object.entries(JUMPS)) {
    test(`${jump}: a rollout, deadlines and schedules come right (CL-02)`, async (runtime) => {
      await using clock = await SetClock.ahead(aheadMs());
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        denoFlags: clock.flags,
      });
      const out = await outside(agent, "all");
      await begin(agent, out);
      await beginLate(agent, out);
      await agent.until(
        "all of them under way",
        (pods) =>
          running(pods, "web") === 3 && running(pods, "failing") === 2 &&
          running(pods, "work") === 1 && running(pods, "late") === 1,
      );

      await clock.setRight(agent);
      await agent.untilAnswer("/api/v1/events", /"ClockSet"/);
      const ticks = (await out.lines()).length;
      await out.until("tick", ticks + 1);
      // None of those is made up for that the other clock would have had.
      ok(!/TooManyMissed/.test((await agent.get("/api/v1/events")).text));

      await out.put("ready");
      await agent.until(
        "the rollout at its end",
        versionsOfAre("web", "two", "two"),
      );
      await out.put("go");
      await out.until("worked");
      await agent.untilAnswer(jobPath("work"), /"Complete"/);
      await agent.untilAnswer(jobPath("late"), /"DeadlineExceeded"/);
      await agent.until(
        "the failing one back at its first version",
        versionsOfAre("failing", "one"),
      );
      match((await agent.get(jobPath("work"))).text, /"succeeded":1/);
    });
  }
});

/** A Deployment that goes back when its deadline is missed. */
function deployment(
  name: string,
  replicas: number,
  { version, seconds = LONG_S, ready, out }: {
    readonly version: string;
    readonly seconds?: number;
    /** The file without which it is not ready. */
    readonly ready?: string;
    readonly out: Outside;
  },
): Record<string, unknown> {
  const command = ["test", "-e", `/out/${ready}`];
  const readinessProbe = { exec: { command }, periodSeconds: 1 };
  return webDeployment(version, replicas, {
    name,
    annotations: { "skerry.dev/rollback-on-deadline": "true" },
    container: { ...out.mount, ...(ready !== undefined && { readinessProbe }) },
    pod: { volumes: out.volumes },
    spec: { progressDeadlineSeconds: seconds },
  });
}

/** A rollout and a Job that end when they are told so, and a schedule. */
async function begin(agent: AgentProcess, out: Outside): Promise<void> {
  const one = { version: "one", out };
  await agent.apply("web.json", deployment("web", 2, one));
  await agent.apply("failing.json", deployment("failing", 1, one));
  await agent.until(
    "the first versions",
    (pods) =>
      versionsOfAre("web", "one", "one")(pods) &&
      versionsOfAre("failing", "one")(pods),
  );
  const two = { version: "two", ready: "ready", out };
  await agent.apply("web.json", deployment("web", 2, two));
  const shared = { container: out.mount, pod: { volumes: out.volumes } };
  const command = shell(
    "until [ -e /out/go ]; do sleep 0.2; done; echo worked >> /out/seen",
  );
  const work = { ...shared, spec: { activeDeadlineSeconds: LONG_S } };
  await agent.apply("work.json", jobManifest("work", command, work));
  const tick = {
    schedule: "@every 5s",
    command: shell("echo tick >> /out/seen"),
    draft: shared,
  };
  await agent.apply("tick.json", cronJobManifest("tick", tick));
  await out.until("tick");
}

/** A rollout and a Job that will miss their deadlines. */
async function beginLate(agent: AgentProcess, out: Outside): Promise<void> {
  const never = { version: "two", seconds: SHORT_S, ready: "never", out };
  await agent.apply("failing.json", deployment("failing", 1, never));
  const late = { spec: { activeDeadlineSeconds: SHORT_S } };
  await agent.apply("late.json", jobManifest("late", ["sleep", "1d"], late));
}

/** How many pods run of what has a name. */
function running(pods: readonly Pod[], name: string): number {
  return pods.filter(({ metadata, status }) =>
    metadata.name.startsWith(`${name}-`) && status?.phase === "Running"
  ).length;
}

function jobPath(name: string): string {
  return `/apis/batch/v1/namespaces/default/jobs/${name}`;
}
