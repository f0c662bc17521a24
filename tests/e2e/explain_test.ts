/**
 * What an operator is told of pods that do not run, on a real runtime.
 *
 * @module
 */

import {
  deepStrictEqual,
  doesNotMatch,
  match,
  ok,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import type { PodReport } from "../../mod/server/mod.ts";
import { type CommandOutcome, run } from "../support/cli/test_io.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { execIn, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { EventWatch } from "../support/e2e/event_watch.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { runSkerry } from "../../scripts/lib/run_skerry.ts";
import { pause, waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import {
  EXPLAINED_PODS,
  type ExplainedPod,
  FIRST,
} from "../support/e2e/explained_pods.ts";
import {
  areFound,
  type WantedFinding,
  wantedText,
} from "../support/findings.ts";
import { FULL_LINES, fullList, SECRET } from "../support/e2e/full_pod.ts";

withRuntime("explain", (test) => {
  test("every cause is named, by explain, describe, get events and get pods alike (ST-08)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("first.json", FIRST);
    await untilPodRuns(agent, "first");
    for (const { name, manifest } of EXPLAINED_PODS) {
      await agent.apply(`${name}.json`, manifest);
    }
    await untilAllTold(agent);
    for (const each of EXPLAINED_PODS) await checkCommands(agent, each);
    // In a process of its own, as it is shipped.
    const { code, stdout, stderr } = await runSkerry([
      "explain",
      "pod/second",
      `--root-dir=${agent.rootDir}`,
    ]);
    deepStrictEqual([code, stderr], [0, ""]);
    const second = await reportOn(agent, "second");
    deepStrictEqual(stdout.trimEnd().split("\n"), second?.explanation);
    // Nothing of it disturbs the one that runs.
    const first = await reportOn(agent, "first");
    deepStrictEqual(first?.findings, [{ kind: "ready" }]);
  });

  test("the end of a pod, a broken manifest and a runtime that is down are told", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("kept.json", sleeper("kept"));
    await agent.apply(
      "slow.json",
      sleeper("slow", {
        terminationGracePeriodSeconds: 300,
        containers: [{
          name: "main",
          command: ["sleep", "100000"],
          lifecycle: { preStop: { exec: { command: ["sleep", "200"] } } },
        }],
      }),
    );
    await untilPodRuns(agent, "kept");
    const slow = await untilPodRuns(agent, "slow");

    await agent.apply("kept.json", podManifest("kept", { containers: [] }));
    const broken: WantedFinding = {
      kind: "broken_manifest",
      said: /\/kept\.json .*line 1: spec\.containers: Required value; /,
    };
    await untilFound(agent, "kept", ["ready", broken]);

    await agent.removeManifest("slow.json");
    const { activities } = await untilFound(agent, "slow", [
      { kind: "ending", reason: "removed" },
      "stopping_container",
    ]);
    ok(activities.some(({ kind }) => kind === "pre_stop_hook"));
    match((await ask(agent, "get pods slow")).output, / Terminating /);
    // Else it would take minutes.
    await runtime.rig.tools.killContainer(idOf(slow, "main"));

    await runtime.rig.killRuntime();
    try {
      await untilFound(agent, "kept", [
        { kind: "runtime_down", said: /connect ECONNREFUSED \// },
        "ready",
        broken,
      ]);
      match((await ask(agent, "get pods kept")).output, / Running /);
    } finally {
      await runtime.rig.startRuntime();
    }
    await untilFound(agent, "kept", ["ready", broken]);
  });

  test("describe lays out a pod with everything, and no command shows a Secret", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("full.json", fullList());
    const pod = await untilPodRuns(agent, "full");
    const full = await untilFound(agent, "full", ["ready"]);
    const { initContainerStatuses = [], containerStatuses = [] } =
      full.pod.status ?? {};
    strictEqual(
      [...initContainerStatuses, ...containerStatuses]
        .filter(({ ready, state }) => ready && state?.running).length,
      2,
    );
    const { output } = await ask(agent, "describe pod/full");
    for (const wanted of FULL_LINES) match(output, wanted);
    const [sentence = ""] = full.explanation;
    ok(sentence !== "" && timeless(output).includes(timeless(sentence)));
    const env = await execIn(runtime, idOf(pod, "main"), "env; cat /db/*");
    ok(env.includes(`URL=db:${SECRET}`), "the container has the Secret");
    for (
      const line of [
        "describe pod full",
        "explain full",
        "explain full -o yaml",
        "get pods full -o json",
        "get events -o json",
        "get sources -o json",
        "metrics",
      ]
    ) {
      const { code, output, errors } = await ask(agent, line);
      strictEqual(code, 0, errors);
      ok(!output.includes(SECRET), line);
      ok(!output.includes(btoa(SECRET)), line);
    }
    const log = await Deno.readTextFile(`${agent.directory}/agent.log`);
    ok(!log.includes(SECRET), "the log");
  });

  test("pods are found by any of their names; who is not there is said", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.until("an answer", () => true);
    const { spec } = sleeper("till");
    for (const name of ["till.v1-2", "edge1"]) {
      await agent.apply(`${name}.json`, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "shop-1" },
        spec,
      });
    }
    for (
      const name of [
        "till.v1-2",
        "pod/till.v1-2",
        "pods/till.v1-2-edge1",
        "edge1",
      ]
    ) {
      await untilFound(agent, `${name} -n shop-1`, ["ready"]);
      const described = await ask(agent, `describe ${pods(name)} -n shop-1`);
      match(described.output, /^Name: .*-?edge1\nNamespace: +shop-1\n/);
    }
    const events = await ask(agent, "get events --for pod/till.v1-2 -n shop-1");
    match(events.output, / Started +pod\/till\.v1-2-edge1 /);
    doesNotMatch(events.output, /pod\/edge1-edge1/);
    for (const command of ["explain", "describe pod"]) {
      const elsewhere = await ask(agent, `${command} till.v1-2`);
      deepStrictEqual([elsewhere.code, elsewhere.output], [1, ""]);
      match(
        elsewhere.errors,
        /^skerry: [^\n]*"till\.v1-2"[^\n]*"default"[^\n]*"shop-1\/till\.v1-2"\n$/,
      );
      const near = await ask(agent, `${command} till.v1-3 -n shop-1`);
      match(near.errors, /"till\.v1-3".*"till\.v1-2"\n$/);
    }
    const unknown = await ask(agent, "get events --for pod/none");
    strictEqual(unknown.code, 1);
    match(unknown.errors, /"none"/);
    await agent.terminate();
    for (
      const command of ["explain edge1", "describe pod edge1", "get events"]
    ) {
      const { code, output, errors } = await ask(agent, command);
      deepStrictEqual([code, output], [1, ""]);
      match(errors, /^skerry: Cannot reach an agent at .*skerry\.sock/);
    }
  });

  test("get events -w goes on over a restart of the agent, and tells nothing twice", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.until("an answer", () => true);
    await using watch = await EventWatch.start(agent);
    await agent.apply("one.json", sleeper("one"));
    await watch.until(/Started +pod\/one-edge1/);
    await agent.terminate();
    await agent.start();
    await agent.until("an answer", () => true);
    await agent.apply("two.json", sleeper("two"));
    await watch.until(/Started +pod\/two-edge1/);
    await agent.removeManifest("one.json");
    await watch.until(/Killing +pod\/one-edge1 +Stopping container main/);
    const { code, output, errors } = await watch.end();
    strictEqual(code, 0, errors);
    const told = output.split("\n").map((each) => each.replace(/^\S+ +/, ""));
    strictEqual(
      told.filter((each) => /Started +pod\/one/.test(each)).length,
      1,
    );
    match(output, /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
    strictEqual(output.split("LAST SEEN").length, 2);
    match(errors, /The agent ended the watch; looking for it again/);
  });
});

function sleeper(
  name: string,
  draft: Parameters<typeof podManifest>[1] = {
    containers: [{ name: "main", command: ["sleep", "100000"] }],
  },
): Record<string, unknown> {
  return podManifest(name, draft);
}

/** How `describe` has a name that `explain` has without its kind. */
function pods(name: string): string {
  return name.includes("/") ? name : `pod ${name}`;
}

/** A command in the process of the test: it says the same as one of its own, and sooner. */
async function ask(agent: AgentProcess, line: string): Promise<CommandOutcome> {
  return await run(`${line} --control-socket=${agent.socketPath}`);
}

/** All that `explain` knows of a pod; `undefined` while there is none. */
async function reportOn(
  agent: AgentProcess,
  name: string,
): Promise<PodReport | undefined> {
  const { code, output } = await ask(agent, `explain ${name} -o json`);
  return code === 0 ? JSON.parse(output) : undefined;
}

/** Waits until just this is found of a pod, in this order. */
async function untilFound(
  agent: AgentProcess,
  name: string,
  wanted: readonly WantedFinding[],
): Promise<PodReport> {
  let last: PodReport | undefined;
  await waitUntil(`${wantedText(wanted)} found of "${name}"`, async () => {
    last = await reportOn(agent, name);
    return last !== undefined && areFound(wanted, last);
  }, { saw: () => JSON.stringify([last?.findings, last?.explanation]) });
  ok(last);
  return last;
}

function isExplained(
  report: PodReport | undefined,
  { finds, knows = () => true }: ExplainedPod,
): boolean {
  return report !== undefined && areFound(finds, report) &&
    knows(report);
}

/** Waits until each pod has shown all its reasons and is explained as it should be. */
async function untilAllTold(agent: AgentProcess): Promise<void> {
  const shown = new Map<string, Map<string, string>>();
  const stop = new AbortController();
  const faults = watchReasons(agent, shown, stop.signal);
  const lacks = async (each: ExplainedPod): Promise<string[]> => {
    const reasons = shown.get(each.name) ?? new Map<string, string>();
    const messages = [...reasons.values()].join("\n");
    const report = await reportOn(agent, each.name);
    return [
      ...each.reasons.filter((reason) => !reasons.has(reason)),
      ...each.message?.test(messages) === false ? [`${each.message}`] : [],
      ...isExplained(report, each) ? [] : [
        `${wantedText(each.finds)}, found ${JSON.stringify(report)}`,
      ],
    ];
  };
  let left: readonly ExplainedPod[] = EXPLAINED_PODS;
  const saw = async (): Promise<string> => {
    const lines = left.map(async (each) =>
      `${each.name}: wanted ${(await lacks(each)).join("; ")}; saw ${
        JSON.stringify([...shown.get(each.name) ?? []])
      }`
    );
    return (await Promise.all(lines)).join("\n");
  };
  try {
    await waitUntil("every cause told", async () => {
      const lacking = await Promise.all(
        left.map(async (each) => (await lacks(each)).length > 0 ? [each] : []),
      );
      left = lacking.flat();
      return left.length === 0;
    }, { saw });
  } finally {
    stop.abort();
    deepStrictEqual(await faults, []);
  }
}

/**
 * Notes why the containers of each pod wait, and what is wrong with it. Some reasons are
 * shown for a moment only, so nothing else is done between two looks.
 */
async function watchReasons(
  agent: AgentProcess,
  shown: Map<string, Map<string, string>>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const faults: string[] = [];
  while (!signal.aborted) {
    faults.push(...note(await agent.pods() ?? [], shown));
    await pause(20);
  }
  return faults;
}

function note(
  pods: readonly Pod[],
  shown: Map<string, Map<string, string>>,
): readonly string[] {
  const faults: string[] = [];
  for (const { name } of EXPLAINED_PODS) {
    const { status } = find(pods, name) ?? {};
    const statuses = [
      ...status?.initContainerStatuses ?? [],
      ...status?.containerStatuses ?? [],
    ];
    const reasons = shown.get(name) ?? new Map<string, string>();
    for (const { state, lastState, restartCount } of statuses) {
      const { reason = "", message = "" } = state?.waiting ?? {};
      if (reason !== "") reasons.set(reason, message);
      // The last termination is kept while the next start is waited for (ST-08).
      const isOver = lastState?.terminated?.finishedAt !== undefined;
      if (reason === "CrashLoopBackOff" && !isOver) {
        faults.push(`${name} ${restartCount} does not say how it ended`);
      }
    }
    shown.set(name, reasons);
  }
  return faults;
}

/** Waits until no other command contradicts the sentence; what is tried anew moves. */
async function checkCommands(
  agent: AgentProcess,
  each: ExplainedPod,
): Promise<void> {
  let left: readonly string[] = [];
  await waitUntil(`"${each.name}" as it is explained`, async () => {
    left = await contradictions(agent, each);
    return left.length === 0;
  }, { saw: () => left.join("\n") });
}

async function contradictions(
  agent: AgentProcess,
  each: ExplainedPod,
): Promise<readonly string[]> {
  const { name, shows, event = "" } = each;
  const row = await ask(agent, `get pods ${name}`);
  const described = await ask(agent, `describe pod ${name}`);
  const [, block = ""] = /^Explanation:((?:\s+.*\n)(?: .*\n)*)/m
    .exec(described.output) ?? [];
  const explanation = block.split("\n").map((line) => line.trim())
    .filter((line) => line !== "").join("\n");
  const events = await ask(agent, `get events --for pod/${name}`);
  const report = await reportOn(agent, `${name}-edge1`);
  return [
    ...shows.test(row.output) ? [] : [row.output],
    ...isExplained(report, each) ? [] : [JSON.stringify(report)],
    ...timeless(explanation) === timeless(report?.explanation.join("\n") ?? "")
      ? []
      : [described.output],
    ...new RegExp(event.replace(" ", " +")).test(events.output)
      ? []
      : [events.output],
    ...report?.pod.metadata.name === `${name}-edge1` ? [] : [name],
  ];
}

/** Sentences of one moment as of another. */
function timeless(text: string): string {
  return text.replaceAll(/\d+/g, "#");
}
