/**
 * Commands under the permissions that the launcher gives them.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
const TIME = "2024-05-06T07:08:09.123456789Z";

/** The launcher as its task starts it, called from the directory `cwd`. */
function launcher(args: readonly string[], cwd: string): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--allow-read",
      "--allow-run",
      "--allow-env=INIT_CWD",
      "--allow-sys=hostname,networkInterfaces",
      `${PROJECT}scripts/skerry.ts`,
      ...args,
    ],
    cwd: PROJECT,
    env: { INIT_CWD: cwd, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function launch(args: readonly string[], cwd: string): Promise<Outcome> {
  const { code, stdout, stderr } = await launcher(args, cwd).output();
  const decoder = new TextDecoder();
  return {
    code,
    output: decoder.decode(stdout),
    errors: decoder.decode(stderr),
  };
}

Deno.test("the launcher runs clients with a relative path from the caller's directory", async () => {
  await using dir = await TempDir.make();
  const agent = new AgentStub();
  agent.pods = [stubPod("web-n1")];
  await using _server = await agent.serve(`${dir.path}/s.sock`);
  const got = await launch(
    ["get", "pods", "-o", "name", "--control-socket=./s.sock"],
    dir.path,
  );
  deepStrictEqual(got, { code: 0, output: "pod/web-n1\n", errors: "" });
});

Deno.test("the launcher runs validate with its files and passes the exit code on", async () => {
  await using dir = await TempDir.make();
  await Deno.writeTextFile(`${dir.path}/a.yaml`, "kind: Pod\n");
  const { code, output } = await launch(["validate", "a.yaml"], dir.path);
  strictEqual(code, 1);
  ok(output.startsWith("a.yaml: "), output);
});

Deno.test("the launcher tells all faults of run and exits 64", async () => {
  const { code, errors } = await launch(
    ["run", "--root-dir=/", "--healthz-prot=1"],
    "/",
  );
  strictEqual(code, 64);
  ok(errors.includes("did you mean --healthz-port"), errors);
  ok(errors.includes("open the whole file system"), errors);
});

Deno.test("the launcher passes SIGTERM on and leaves no command behind", async () => {
  await using dir = await TempDir.make();
  await Deno.writeTextFile(`${dir.path}/0.log`, `${TIME} stdout F a\n`);
  const agent = new AgentStub();
  agent.pods = [stubPod("web-n1")];
  let looks = 0;
  agent.locate = () => ({
    kind: "found",
    path: `${dir.path}/0.log`,
    isRunning: () => {
      looks++;
      return true;
    },
  });
  await using _server = await agent.serve(`${dir.path}/s.sock`);
  const args = ["logs", "web", "-f", `--control-socket=${dir.path}/s.sock`];
  const child = launcher(args, dir.path).spawn();
  const reader = child.stdout.getReader();
  const first = await reader.read();
  strictEqual(new TextDecoder().decode(first.value), "a\n");
  child.kill("SIGTERM");
  // The output ends when the last process that holds it has ended.
  strictEqual((await reader.read()).done, true);
  strictEqual((await child.status).code, 128 + 15);
  await child.stderr.cancel();
  ok(looks > 0);
});
