/**
 * Ending containers and pods with the grace that is theirs.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { ContainerSpec, Pod } from "../../../../mod/api/types/mod.ts";
import {
  CriError,
  type ExecResult,
  type RuntimeService,
} from "../../../../mod/cri/model/mod.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";
import type { KillService } from "../../../../mod/runtime/end/kill.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { observed, sandbox, seen } from "../../../support/observed_pods.ts";
import {
  container,
  containers,
  pod,
  type PodDraft,
  podOfThree,
  sidecar,
} from "../../../support/pods.ts";
import { killerRig } from "../../../support/runtime/killer_rig.ts";

const never = new AbortController().signal;

/** A pod that has ten seconds to end. */
function withGrace(draft: PodDraft): Pod {
  return pod({ terminationGracePeriodSeconds: 10, ...draft });
}

/** Containers that run in the sandbox `s1`. */
function running(...names: readonly string[]): ObservedPod {
  return observed(names.map((name) => seen(name)), [sandbox({ id: "s1" })]);
}

/** Notes every call with the second it came at. */
class NotingRuntime implements KillService, Pick<RuntimeService, "execSync"> {
  readonly calls: string[] = [];
  readonly #clock: FakeClock;
  hookSeconds = 0;
  hookExitCode = 0;
  stopSeconds: Readonly<Record<string, number>> = {};
  refuse: readonly string[] = [];

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async execSync(
    id: string,
    command: readonly string[],
    options: { signal?: AbortSignal } = {},
  ): Promise<ExecResult> {
    this.#note(`exec ${id} ${command.join(" ")}`);
    const { signal = never } = options;
    await this.#clock.sleep(this.hookSeconds * 1000, signal);
    const nothing = new Uint8Array();
    return { stdout: nothing, stderr: nothing, exitCode: this.hookExitCode };
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    this.#note(`stop ${id} in ${timeoutSeconds}`);
    const seconds = this.stopSeconds[id] ?? 0;
    if (seconds > 0) await this.#clock.sleep(seconds * 1000, never);
    if (this.refuse.includes(id)) {
      throw new CriError({
        kind: "failed",
        method: "StopContainer",
        detail: "who knows",
      });
    }
    this.#note(`stopped ${id}`);
  }

  stopPodSandbox(id: string): Promise<void> {
    this.#note(`stop sandbox ${id}`);
    return Promise.resolve();
  }

  #note(text: string): void {
    this.calls.push(`${this.#clock.monotonic() / 1000} ${text}`);
  }
}

function setUp() {
  const clock = new FakeClock();
  const runtime = new NotingRuntime(clock);
  return { clock, runtime, ...killerRig(runtime, { clock }) };
}

const preStop = (
  seconds: number,
): NonNullable<ContainerSpec["lifecycle"]> => ({
  preStop: { sleep: { seconds } },
});

Deno.test("PodKiller.killPod() stops all containers together, then the sandbox", async () => {
  const { clock, runtime, events, killer } = setUp();
  runtime.stopSeconds = { "a-0": 3, "b-0": 1 };
  const done = killer.killPod({
    pod: withGrace({ containers: containers("a", "b") }),
    observed: running("a", "b"),
    signal: never,
  });
  await clock.advance(3_000);
  await done;
  deepStrictEqual(runtime.calls, [
    "0 stop a-0 in 10",
    "0 stop b-0 in 10",
    "1 stopped b-0",
    "3 stopped a-0",
    "3 stop sandbox s1",
  ]);
  deepStrictEqual(events.texts, [
    "Normal Killing: Stopping container a",
    "Normal Killing: Stopping container b",
  ]);
});

Deno.test("PodKiller.killPod() leaves what has ended and stops what is not known to", async () => {
  const { runtime, killer } = setUp();
  const containers = [
    seen("a", { state: "exited" }),
    seen("b", { state: "unknown" }),
    seen("c", { state: "created" }),
  ];
  const done = killer.killPod({
    pod: podOfThree({ terminationGracePeriodSeconds: 10 }),
    observed: observed(containers),
    signal: never,
  });
  await done;
  deepStrictEqual(runtime.calls.slice(0, 1), ["0 stop b-0 in 10"]);
});

Deno.test("PodKiller.killPod() ends sidecars after the others, the last declared first", async () => {
  const { clock, runtime, killer } = setUp();
  runtime.stopSeconds = { "app-0": 2, "s2-0": 1 };
  const done = killer.killPod({
    pod: withGrace({
      containers: containers("app"),
      initContainers: [sidecar("s1"), sidecar("s2")],
    }),
    observed: running("app", "s1", "s2"),
    signal: never,
  });
  await clock.advance(3_000);
  await done;
  deepStrictEqual(runtime.calls, [
    "0 stop app-0 in 10",
    "2 stopped app-0",
    // The waiting has used up two, then three seconds of the grace.
    "2 stop s2-0 in 8",
    "3 stopped s2-0",
    "3 stop s1-0 in 7",
    "3 stopped s1-0",
    "3 stop sandbox s1",
  ]);
});

Deno.test("PodKiller.killPod() does not let a sidecar wait beyond the grace", async () => {
  const { clock, runtime, killer } = setUp();
  runtime.stopSeconds = { "app-0": 60 };
  const done = killer.killPod({
    pod: withGrace({
      containers: containers("app"),
      initContainers: [sidecar("s1")],
    }),
    observed: running("app", "s1"),
    graceSeconds: 4,
    signal: never,
  });
  await clock.advance(60_000);
  await done;
  ok(runtime.calls.includes("4 stop s1-0 in 2"), runtime.calls.join("\n"));
});

Deno.test("PodKiller.killPod() takes a sidecar's own hook off the time that it waits for others", async () => {
  const { clock, runtime, killer } = setUp();
  runtime.stopSeconds = { "a-0": 60 };
  const done = killer.killPod({
    pod: withGrace({
      initContainers: [sidecar("s", { lifecycle: preStop(4) })],
      containers: [container("a")],
    }),
    observed: running("a", "s"),
    signal: never,
  });
  await clock.advance(60_000);
  await done;
  deepStrictEqual(runtime.calls.slice(0, 3), [
    "0 stop a-0 in 10",
    "10 stop s-0 in 2",
    "10 stopped s-0",
  ]);
});

Deno.test("PodKiller.killPod() keeps the sandbox while a container has a right to its grace", async () => {
  const { runtime, killer } = setUp();
  runtime.refuse = ["a-0"];
  const kill = {
    pod: withGrace({ containers: [container("a")] }),
    observed: running("a"),
    signal: never,
  };
  await rejects(
    killer.killPod(kill),
    /Cannot stop pod "shop\/web": .*who knows/,
  );
  ok(!runtime.calls.includes("0 stop sandbox s1"));
});

Deno.test("PodKiller.killPod() stops the sandbox when the grace of a stuck container is over", async () => {
  const { clock, runtime, killer } = setUp();
  runtime.refuse = ["a-0"];
  runtime.stopSeconds = { "a-0": 12 };
  const done = rejects(killer.killPod({
    pod: withGrace({ containers: [container("a")] }),
    observed: running("a"),
    signal: never,
  }));
  await clock.advance(12_000);
  await done;
  ok(runtime.calls.includes("12 stop sandbox s1"));
});

Deno.test("PodKiller.killContainer() gives the runtime what the hook left of the grace", async () => {
  const { clock, runtime, killer } = setUp();
  const lifecycle = preStop(4);
  const done = killer.killContainer({
    pod: withGrace({ containers: [container("a", { lifecycle })] }),
    container: seen("a"),
    podIps: [],
    reason: "spec_changed",
    message: "Container a definition changed, will be restarted",
    signal: never,
  });
  await clock.advance(4_000);
  await done;
  strictEqual(runtime.calls[0], "4 stop a-0 in 6");
});

Deno.test("PodKiller.killContainer() cuts a hook short when the grace is over", async () => {
  const { clock, runtime, events, killer } = setUp();
  const lifecycle = preStop(100);
  const done = killer.killContainer({
    pod: withGrace({ containers: [container("a", { lifecycle })] }),
    container: seen("a"),
    podIps: [],
    reason: "pod_stopping",
    signal: never,
  });
  await clock.advance(10_000);
  await done;
  strictEqual(runtime.calls[0], "10 stop a-0 in 2");
  deepStrictEqual(events.texts, ["Normal Killing: Stopping container a"]);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("PodKiller.killContainer() tells of a hook that fails and goes on", async () => {
  const { clock, runtime, events, killer } = setUp();
  runtime.hookExitCode = 3;
  const lifecycle = { preStop: { exec: { command: ["/bin/bye"] } } };
  const done = killer.killContainer({
    pod: withGrace({ containers: [container("a", { lifecycle })] }),
    container: seen("a"),
    podIps: [],
    reason: "pod_stopping",
    signal: never,
  });
  await clock.advance(0);
  await done;
  deepStrictEqual(runtime.calls, [
    "0 exec a-0 /bin/bye",
    "0 stop a-0 in 10",
    "0 stopped a-0",
  ]);
  deepStrictEqual(events.texts, [
    "Normal Killing: Stopping container a",
    "Warning FailedPreStopHook: PreStopHook failed",
  ]);
});

Deno.test("PodKiller.killContainer() runs no hook without grace, and still gives two seconds", async () => {
  const { runtime, killer } = setUp();
  const lifecycle = preStop(4);
  await killer.killContainer({
    pod: withGrace({ containers: [container("a", { lifecycle })] }),
    container: seen("a"),
    podIps: [],
    reason: "pod_stopping",
    graceSeconds: 0,
    signal: never,
  });
  deepStrictEqual(runtime.calls, ["0 stop a-0 in 2", "0 stopped a-0"]);
});

Deno.test("PodKiller.killContainer() stops nothing and tells of no failed hook when it is given up in the hook", async () => {
  const { clock, runtime, events, killer } = setUp();
  const stop = new AbortController();
  const done = killer.killContainer({
    pod: withGrace({ containers: [container("a", { lifecycle: preStop(8) })] }),
    container: seen("a"),
    podIps: [],
    reason: "pod_stopping",
    signal: stop.signal,
  });
  const reason = new Error("the agent ends");
  const failing = rejects(done, (error) => error === reason);
  await clock.advance(1_000);
  stop.abort(reason);
  await failing;
  deepStrictEqual(runtime.calls, []);
  deepStrictEqual(events.texts, ["Normal Killing: Stopping container a"]);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("PodKiller.killPod() stops no sandbox when it is given up while it waits for others to end", async () => {
  const { clock, runtime, killer } = setUp();
  runtime.stopSeconds = { "a-0": 5 };
  const stop = new AbortController();
  const done = killer.killPod({
    pod: withGrace({
      initContainers: [sidecar("s")],
      containers: [container("a")],
    }),
    observed: running("a", "s"),
    signal: stop.signal,
  });
  const reason = new Error("the agent ends");
  const failing = rejects(done, (error) => error === reason);
  await clock.advance(1_000);
  stop.abort(reason);
  await clock.advance(10_000);
  await failing;
  deepStrictEqual(runtime.calls, ["0 stop a-0 in 10", "5 stopped a-0"]);
});
