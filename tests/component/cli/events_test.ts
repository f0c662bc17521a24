/**
 * `get events` against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { eventFeed } from "../../../mod/views/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";

function record(
  recorder: EventRecorder,
  reason: string,
  pod: { readonly name?: string; readonly namespace?: string } = {},
): void {
  const { name = "web-n1", namespace = "default" } = pod;
  recorder.record({ name, namespace, uid: `uid-${name}` }, {
    type: "Warning",
    reason,
    message: `It is\n${reason}`,
  });
}

/** A recorder of a run that began at `startMs`. */
function recorderAt(clock: FakeClock): EventRecorder {
  const metrics = new MetricsRegistry();
  return new EventRecorder({ clock, log: silentLogger, metrics });
}

async function rig() {
  const dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  const io = new TestIo();
  const recorder = recorderAt(io.clock);
  agent.events = eventFeed(recorder, { nodeName: "N1" });
  const server = await agent.serve(path);
  return {
    agent,
    io,
    path,
    recorder,
    server,
    at: `--control-socket=${path}`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("main() gets events in every form", async () => {
  await using own = await rig();
  const { at, io, recorder } = own;
  const ask = async (line: string) => {
    io.output = "";
    io.errors = "";
    return await run(`${line} ${at}`, io);
  };
  deepStrictEqual(await ask("get events"), {
    code: 0,
    output: "",
    errors: "No resources found in default namespace.\n",
  });
  strictEqual(
    JSON.parse((await ask("get ev -o json")).output).kind,
    "EventList",
  );
  record(recorder, "Failed");
  await io.clock.advance(200_000);
  record(recorder, "Unhealthy");
  await io.clock.advance(100_000);
  record(recorder, "Failed");
  record(recorder, "Evicted", { name: "db-n1", namespace: "other" });
  await io.clock.advance(30_000);
  deepStrictEqual(
    (await ask("get events")).output.split("\n")
      .map((line) => line.split(/ {3,}/)),
    [
      ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
      ["2m10s", "Warning", "Unhealthy", "pod/web-n1", "It is Unhealthy"],
      [
        "30s (x2 over 5m30s)",
        ...["Warning", "Failed", "pod/web-n1", "It is Failed"],
      ],
      [""],
    ],
  );
  const all = (await ask("get events -A -o wide")).output.split("\n");
  strictEqual(all.length, 5);
  ok(all[0]?.startsWith("NAMESPACE   LAST SEEN"), String(all[0]));
  ok(all[3]?.startsWith("other       30s"), String(all[3]));
  const names = (await ask("get events -o name -n other")).output;
  ok(/^event\/db-n1\.[0-9a-f]+\n$/.test(names), names);
  ok((await ask("get events -o yaml")).output.includes("reason: Unhealthy"));
});

Deno.test("main() gets the events of a pod by its manifest's name and its full name, also when it is gone", async () => {
  await using own = await rig();
  const { agent, at, recorder } = own;
  record(recorder, "A");
  record(recorder, "B", { name: "webber-n1" });
  for (const name of ["web", "web-n1"]) {
    const { output } = await run(`get events --for pod/${name} -o json ${at}`);
    deepStrictEqual(
      JSON.parse(output).items.map((each: { reason: string }) => each.reason),
      ["A"],
    );
  }
  agent.pods = [stubPod("calm-n1")];
  deepStrictEqual(await run(`get events --for pod/calm ${at}`), {
    code: 0,
    output: "",
    errors: "No resources found in default namespace.\n",
  });
  deepStrictEqual(await run(`get events --for pod/wbe ${at}`), {
    code: 1,
    output: "",
    errors:
      'skerry: Cannot find pod "wbe": no pod and no manifest has that name\n',
  });
});

Deno.test("main() watches events until it is stopped", async () => {
  await using own = await rig();
  const { at, io, recorder } = own;
  record(recorder, "First");
  let writes = 0;
  io.written = () => {
    writes++;
    if (writes === 1) {
      record(recorder, "Other", { name: "db-n1" });
      record(recorder, "Second");
    } else if (writes === 2) record(recorder, "First");
    else io.stopping.abort();
  };
  const { code, errors } = await run(`get events -w --for pod/web ${at}`, io);
  deepStrictEqual([code, errors], [0, ""]);
  deepStrictEqual(
    io.output.split("\n").map((line) => line.split(/ {3,}/)[2]),
    ["REASON", "First", "Second", "First", undefined],
  );
});

Deno.test("main() watches events as lines of JSON", async () => {
  await using own = await rig();
  const { at, io, recorder } = own;
  record(recorder, "First");
  io.written = () => {
    if (io.output.includes("Second")) io.stopping.abort();
    else record(recorder, "Second");
  };
  strictEqual((await run(`get events -w -o json ${at}`, io)).code, 0);
  deepStrictEqual(
    io.output.trim().split("\n").map((line) => JSON.parse(line).reason),
    ["First", "Second"],
  );
});

Deno.test("main() ends a watch of events that is stopped while nothing happens", async () => {
  await using own = await rig();
  const { at, io } = own;
  const watching = run(`get events -w ${at}`, io);
  await written(io, () => io.output !== "");
  io.stopping.abort();
  strictEqual((await watching).code, 0);
});

/** Waits until what was written meets a condition. */
async function written(io: TestIo, condition: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  io.written = () => condition() && resolve();
  io.written();
  await promise;
}

for (
  const [what, startMs] of [
    ["later", Date.UTC(2026, 5)],
    ["earlier, as its clock was set back", Date.UTC(2020, 0)],
  ] as const
) {
  Deno.test(`main() goes on watching events of an agent that restarts ${what}`, async () => {
    await using own = await rig();
    const { agent, at, io, path, recorder, server } = own;
    using quiet = await Quiet.open(io);
    record(recorder, "Before");
    const watching = run(`get events -w -o name ${at}`, io);
    await written(io, () => io.output !== "");
    await server[Symbol.asyncDispose]();
    await written(io, () => io.errors !== "");
    strictEqual(
      io.errors,
      "skerry: The agent ended the watch; looking for it again\n",
    );
    // It is away for some seconds.
    await quiet.pass(3);
    const later = recorderAt(new FakeClock(startMs));
    record(later, "After");
    agent.events = eventFeed(later, { nodeName: "N1" });
    await using _again = await agent.serve(path);
    io.written = () => io.stopping.abort();
    await quiet.pass(200, () => io.stopping.signal.aborted);
    strictEqual((await watching).code, 0);
    strictEqual(io.output.split("\n").length, 3);
  });
}

Deno.test("main() gives up watching events when the agent stays away", async () => {
  await using own = await rig();
  const { at, io, path, server } = own;
  using quiet = await Quiet.open(io);
  const watching = run(`get events -w ${at}`, io);
  await written(io, () => io.output !== "");
  await server[Symbol.asyncDispose]();
  let isOver = false;
  void watching.finally(() => isOver = true);
  await quiet.pass(1_000, () => isOver);
  const { code, errors } = await watching;
  strictEqual(code, 1);
  ok(errors.includes(`Cannot reach an agent at "${path}"`), errors);
});

Deno.test("main() tells at once that there is no agent to watch", async () => {
  await using dir = await TempDir.make();
  const { code, errors } = await run(`get events -w --root-dir=${dir.path}`);
  strictEqual(code, 1);
  ok(errors.includes("Cannot reach an agent"), errors);
});
