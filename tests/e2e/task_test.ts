/**
 * The tasks of this project as a user types them, from any directory.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import type { SkerryResult } from "../../scripts/lib/run_skerry.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

withRuntime("deno task skerry", (test) => {
  test("run, get and logs take paths from the caller's directory; SIGTERM ends the agent, not its pods", async (runtime) => {
    const directory = await Deno.makeTempDir({ prefix: "skerry-task-" });
    try {
      await Deno.mkdir(`${directory}/manifests`);
      await Deno.writeTextFile(
        `${directory}/manifests/web.json`,
        JSON.stringify(podManifest("web", sleeping())),
      );
      const where = ["--root-dir", "root"];
      const agent = task(directory, [
        "run",
        ...where,
        "--pod-manifest-path=manifests",
        "--pod-logs-dir=./logs",
        `--container-runtime-endpoint=unix://${runtime.rig.socketPath}`,
        `--pod-network=${runtime.rig.podNetwork}`,
        "--hostname-override=edge1",
        "--healthz-port=0",
      ]).spawn();
      try {
        await untilOutput(
          () => taskOutput(directory, ["get", "po", ...where]),
          /^web-edge1 +1\/1 +Running /m,
        );
      } finally {
        agent.kill("SIGTERM");
      }
      strictEqual((await agent.status).code, 0);
      await agent.stderr.cancel();
      await agent.stdout.cancel();
      strictEqual(runningTasks(await runtime.rig.tools.tasks()), 2);
      const gone = await taskOutput(directory, ["get", "pods", ...where]);
      strictEqual(gone.code, 1);
      ok(gone.stderr.includes(`${directory}/root/run/skerry.sock`));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
});

Deno.test("deno task skerry refuses bad usage and configuration with 64", async (t) => {
  const directory = await Deno.makeTempDir({ prefix: "skerry-usage-" });
  await Deno.writeTextFile(
    `${directory}/config.yaml`,
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nsyncFrequenzy: 1m\n",
  );
  for (
    const [args, said] of [
      [["gett", "pods"], /did you mean "get"/],
      [["get", "nodes"], /get nodes|"nodes"/],
      [["get", "pods", "-o", "jsonpath"], /wanted one of wide, json/],
      [["logs"], /wanted a pod's name/],
      [["logs", "x", "--tail", "many"], /--tail/],
      [["run", "--rot-dir=/x"], /did you mean --root-dir/],
      [["run", "--config=config.yaml"], /syncFrequenzy.*syncFrequency/],
      [["run", "--config=absent.yaml"], /absent\.yaml/],
      [["version", "now"], /no more arguments/],
    ] as const
  ) {
    await t.step(args.join(" "), async () => {
      const { code, stdout, stderr } = await taskOutput(directory, args);
      strictEqual(code, 64, stderr);
      match(stderr, said);
      strictEqual(stdout, "");
    });
  }
  await Deno.remove(directory, { recursive: true });
});

Deno.test("deno task skerry validate tells every fault of files, directories and standard input", async () => {
  const directory = await Deno.makeTempDir({ prefix: "skerry-validate-" });
  await Deno.mkdir(`${directory}/some`);
  await Deno.writeTextFile(`${directory}/some/bad.yaml`, TWO_DOCUMENTS);
  const good = JSON.stringify(podManifest("good", sleeping()));
  await Deno.writeTextFile(`${directory}/some/good.json`, good);
  const one = await taskOutput(directory, ["validate", "some/good.json"]);
  deepStrictEqual([one.code, one.stdout], [
    0,
    "some/good.json: ok, 1 pod\nsome/good.json: Pod default/good\n",
  ]);
  const both = await taskOutput(directory, ["validate", "some"]);
  strictEqual(both.code, 1);
  match(both.stdout, /^some\/good\.json: ok, 1 pod$/m);
  for (const field of ["spec.containers\\[0\\].image", "spec.restatPolicy"]) {
    match(
      both.stdout,
      new RegExp(`^some/bad\\.yaml: document 2, line \\d+: ${field}: `, "m"),
    );
  }
  const piped = await taskOutput(directory, ["validate", "-"], good);
  deepStrictEqual([piped.code, piped.stdout], [
    0,
    "standard input: ok, 1 pod\nstandard input: Pod default/good\n",
  ]);
  const missing = await taskOutput(directory, ["validate", "no.yaml"]);
  strictEqual(missing.code, 1);
  match(missing.stdout, /^no\.yaml: Cannot read it/m);
  const version = await taskOutput(directory, ["version"]);
  deepStrictEqual(version.code, 0);
  match(version.stdout, /^skerry \d+\.\d+\.\d+ \(deno /);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("deno task compile makes a locked executable", async () => {
  const directory = await Deno.makeTempDir({ prefix: "skerry-compile-" });
  const { code, stdout, stderr } = await finish(
    new Deno.Command(Deno.execPath(), {
      args: ["task", "--config", CONFIG, "compile", "-o", "skerry"],
      cwd: directory,
      // Its metadata is looked at; nothing is started from it.
      clearEnv: true,
      env: { ...userEnvironment(), DENORT_BIN: Deno.execPath() },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }),
  );
  strictEqual(code, 0, stderr);
  match(stdout, /locked with/);
  match(stdout, /--no-prompt/);
  const info = await Deno.stat(`${directory}/skerry`);
  ok(((info.mode ?? 0) & 0o100) !== 0);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("the generated protocol code is what its contract gives", async () => {
  const { code, stderr } = await finish(
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        new URL("../../scripts/gen_proto.ts", import.meta.url).pathname,
        "--check",
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }),
  );
  strictEqual(code, 0, stderr);
});

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

const TWO_DOCUMENTS = `apiVersion: v1
kind: Pod
metadata:
  name: fine
spec:
  containers:
    - name: main
      image: x
---
apiVersion: v1
kind: Pod
metadata:
  name: broken
spec:
  restatPolicy: Never
  containers:
    - name: main
`;

/** `deno task skerry ARGS…` in the caller's directory. */
function task(
  directory: string,
  args: readonly string[],
  stdin: "null" | "piped" = "null",
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--config", CONFIG, "skerry", ...args],
    cwd: directory,
    clearEnv: true,
    env: userEnvironment(),
    stdin,
    stdout: "piped",
    stderr: "piped",
  });
}

/** As in a shell: the task or npx that runs these tests has named its own directory. */
function userEnvironment(): Record<string, string> {
  const { INIT_CWD: _ours, ...environment } = Deno.env.toObject();
  return environment;
}

async function taskOutput(
  directory: string,
  args: readonly string[],
  input?: string,
): Promise<SkerryResult> {
  if (input === undefined) return await finish(task(directory, args));
  const child = task(directory, args, "piped").spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  return decode(await child.output());
}

async function finish(command: Deno.Command): Promise<SkerryResult> {
  return decode(await command.output());
}

function decode(output: Deno.CommandOutput): SkerryResult {
  const text = new TextDecoder();
  const { code, stdout, stderr } = output;
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

async function untilOutput(
  run: () => Promise<SkerryResult>,
  expected: RegExp,
): Promise<void> {
  let last: SkerryResult | undefined;
  await waitUntil(`${expected}`, async () => {
    last = await run();
    return expected.test(last.stdout);
  }, { saw: () => JSON.stringify(last) });
}

function runningTasks(tasks: ReadonlyMap<string, number>): number {
  return [...tasks.values()].filter((pid) => pid > 1).length;
}

function sleeping(): Parameters<typeof podManifest>[1] {
  return { containers: [{ name: "main", command: ["sleep", "100000"] }] };
}
