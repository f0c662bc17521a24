/**
 * `explain` and `describe` against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { PodReport } from "../../../mod/server/mod.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run } from "../../support/cli/test_io.ts";

function report(explanation: readonly string[]): PodReport {
  return {
    apiVersion: "skerry.dev/v1alpha1",
    kind: "PodReport",
    time: "2024-01-01T00:00:00Z",
    pod: stubPod("web-n1"),
    explanation,
    findings: [],
    activities: [],
    probes: [],
    events: [],
  };
}

Deno.test("main() says that no agent is there to explain or describe", async () => {
  await using dir = await TempDir.make();
  for (const command of ["explain pod/x", "describe pod x"]) {
    const { code, output, errors } = await run(
      `${command} --root-dir=${dir.path}`,
    );
    deepStrictEqual([code, output], [1, ""]);
    ok(errors.includes(`"${dir.path}/run/skerry.sock"`), errors);
  }
});

Deno.test("main() explains a pod in sentences, safe for a terminal", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  const asked: string[] = [];
  agent.report = (namespace, name) => {
    asked.push(`${namespace}/${name}`);
    return report(["first: \u001b[31mred", "second"]);
  };
  const at = `--control-socket=${path}`;
  for (const words of ["pod/web", "pod web", "web -n shop"]) {
    deepStrictEqual(await run(`explain ${words} ${at}`), {
      code: 0,
      output: "first:  [31mred\nsecond\n",
      errors: "",
    });
  }
  deepStrictEqual(asked, ["default/web", "default/web", "shop/web"]);
  const json = await run(`explain web -o json ${at}`);
  deepStrictEqual(JSON.parse(json.output), agent.report("shop", "web"));
  const yaml = await run(`explain web -o yaml ${at}`);
  match(yaml.output, /^apiVersion: skerry\.dev\/v1alpha1\nkind: PodReport\n/);
  const other = await run(`explain web -o wide ${at}`);
  strictEqual(other.code, 64);
  const described = await run(`describe pod/web ${at}`);
  match(described.output, /^Name: +web-n1\n/);
});

Deno.test("main() says which pod may be meant, and which source is silent", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  agent.pods = [stubPod("web-n1"), stubPod("db-n1", "other")];
  agent.sources = [{
    name: "http",
    location: "http://c/pods",
    ready: false,
    pods: 0,
    conditions: [],
    lastGood: [],
  }];
  for (const command of ["explain pod/wbe", "describe pod wbe"]) {
    const told = await run(`${command} --control-socket=${path}`);
    deepStrictEqual([told.code, told.output], [1, ""]);
    match(told.errors, /^skerry: .*"wbe".*"web"; .*"http:.*\n$/);
  }
});
