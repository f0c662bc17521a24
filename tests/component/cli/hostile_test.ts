/**
 * What clients write of a manifest whose author means harm.
 *
 * @module
 */

import { deepStrictEqual, doesNotMatch, strictEqual } from "node:assert/strict";
import { load } from "js-yaml";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { eventFeed } from "../../../mod/views/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { pod } from "../../support/pods.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";

// Clears the screen, twice, and turns round what follows, in three ways.
const HARM = "a\u001b[2J\u009b2J\u202e\u2066\u200f";

const HARMFUL =
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** The pod of a refused manifest: what its author wrote stands in for a name. */
function refused(name: string): Pod {
  return pod({
    name: `${name}-n1`,
    namespace: "default",
    uid: "",
    nodeName: "n1",
    containers: [],
    status: { phase: "Failed", reason: HARM, message: HARM, podIP: HARM },
  });
}

Deno.test("main() writes nothing of a manifest that moves the cursor or turns the line", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  const pods = [refused(HARM), refused(`${HARM}-n1`)];
  agent.pods = pods;
  agent.report = () => ({
    apiVersion: "skerry.dev/v1alpha1",
    kind: "PodReport",
    time: "2024-01-01T00:00:00Z",
    pod: refused(HARM),
    explanation: [HARM],
    findings: [{ kind: "ready", reason: HARM }],
    activities: [],
    probes: [],
    events: [],
  });
  agent.sources = [{
    name: HARM,
    location: HARM,
    ready: true,
    pods: 0,
    conditions: [],
    lastGood: [],
  }];
  agent.images = [{
    id: HARM,
    names: [HARM],
    size: NaN,
    pinned: false,
    users: [{ name: HARM, state: "running", since: HARM }],
  }];
  const { clock } = new TestIo();
  const metrics = new MetricsRegistry();
  const recorder = new EventRecorder({ clock, log: silentLogger, metrics });
  recorder.record(refused(HARM).metadata, {
    type: "Warning",
    reason: "FailedValidation",
    message: HARM,
  });
  agent.events = eventFeed(recorder, { nodeName: "n1" });
  await using _server = await agent.serve(path);
  const at = `--control-socket=${path}`;
  for (
    const command of [
      "get pods",
      "get pods -A -o wide",
      "get pods -o name",
      "get pods -o json",
      "get pods -o yaml",
      // Two names that it may stand for.
      `get pods ${HARM}-n1`,
      "get events",
      "get events -o wide",
      "get events -o name",
      "get events -o json",
      "get events -o yaml",
      "get sources -o wide",
      "get sources -o name",
      "get sources -o json",
      "get sources -o yaml",
      "images",
      "df",
      "images -o wide",
      "images -o name",
      "images -o json",
      "images -o yaml",
      "describe pod x",
      "explain x",
      "explain x -o json",
      "explain x -o yaml",
    ]
  ) {
    const { output, errors } = await run(`${command} ${at}`);
    doesNotMatch(output, HARMFUL, command);
    doesNotMatch(errors, HARMFUL, command);
  }
  const json = await run(`get pods -o json ${at}`);
  deepStrictEqual(JSON.parse(json.output).items, pods);
  const yaml = await run(`get pods -o yaml ${at}`);
  deepStrictEqual(load(yaml.output), JSON.parse(json.output));
});

Deno.test("main() validates a manifest without writing what moves the cursor", async () => {
  const io = new TestIo();
  const harm = JSON.stringify(HARM);
  io.stdin = `apiVersion: v1
kind: Pod
metadata: {name: x}
spec: {${harm}: 1, containers: [{name: ${harm}, image: x}]}
`;
  const { code, output } = await run("validate -", io);
  strictEqual(code, 1);
  doesNotMatch(output, HARMFUL);
});

Deno.test("main() watches several refused pods and writes each once", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.pods = [refused("a"), refused("b")];
  await using _server = await agent.serve(path);
  const io = new TestIo();
  using quiet = await Quiet.open(io);
  let writes = 0;
  io.written = () => {
    writes++;
    // One more, which all the others must not be written again with.
    agent.pods = [refused("a"), refused("b"), stubPod("c-n1")];
    if (writes === 2) io.stopping.abort();
  };
  const watching = run(`get pods -w --control-socket=${path}`, io);
  await quiet.pass(60, () => writes === 2);
  strictEqual((await watching).code, 0);
  deepStrictEqual(
    io.output.split("\n").map((line) => line.split(/ +/)[0]),
    ["NAME", "a-n1", "b-n1", "c-n1", ""],
  );
});
