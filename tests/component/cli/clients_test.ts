/**
 * Client commands against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type CliIo, main, OutputClosedError } from "../../../mod/cli/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { AgentStub, stubPod } from "../server/agent_stub.ts";
import { TempDir } from "../server/temp.ts";

const TIME = "2024-05-06T07:08:09.123456789Z";

/** A process whose output stays in its hands. */
class TestIo implements CliIo {
  readonly clock = new FakeClock();
  readonly stopping = new AbortController();
  output = "";
  errors = "";
  stdin = "";
  /** What happens after each write. */
  written: () => void = () => {};

  cwd(): string {
    return "/";
  }
  hostname(): string {
    return "n1";
  }
  readTextFile(path: string): Promise<string> {
    return Deno.readTextFile(path);
  }
  out(data: string | Uint8Array): Promise<void> {
    this.output += typeof data === "string"
      ? data
      : new TextDecoder().decode(data);
    this.written();
    return Promise.resolve();
  }
  err(line: string): Promise<void> {
    this.errors += `${line}\n`;
    return Promise.resolve();
  }
  readStdin(): Promise<Uint8Array> {
    return Promise.resolve(new TextEncoder().encode(this.stdin));
  }
  stopRequests(): { readonly signal: AbortSignal } & Disposable {
    return { signal: this.stopping.signal, [Symbol.dispose]: () => {} };
  }
}

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function run(line: string, io: TestIo = new TestIo()): Promise<Outcome> {
  const code = await main(line.split(" "), io);
  return { code, output: io.output, errors: io.errors };
}

Deno.test("main() names the socket when no agent is there", async () => {
  await using dir = await TempDir.make();
  for (const command of ["get pods", "get pods -o json", "logs x", "metrics"]) {
    const { code, output, errors } = await run(
      `${command} --root-dir=${dir.path}`,
    );
    strictEqual(code, 1);
    strictEqual(output, "");
    ok(errors.includes(`"${dir.path}/run/skerry.sock"`), errors);
  }
});

Deno.test("main() gets pods in every form", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  const at = `--control-socket=${path}`;
  const none = await run(`get pods ${at}`);
  deepStrictEqual(none, {
    code: 0,
    output: "",
    errors: "No resources found in default namespace.\n",
  });
  deepStrictEqual(
    JSON.parse((await run(`get pods -o json ${at}`)).output).items,
    [],
  );
  agent.pods = [stubPod("web-n1"), stubPod("db-n1", "other")];
  strictEqual(
    (await run(`get pods ${at}`)).output,
    "NAME     READY   STATUS    RESTARTS   AGE\nweb-n1   0/1     Running   0          <unknown>\n",
  );
  strictEqual(
    (await run(`get pods -A -o name ${at}`)).output,
    "pod/web-n1\npod/db-n1\n",
  );
  const one = JSON.parse((await run(`get pods web -o json ${at}`)).output);
  deepStrictEqual([one.kind, one.metadata.name], ["Pod", "web-n1"]);
  const missing = await run(`get pods db ${at}`);
  deepStrictEqual(missing, {
    code: 1,
    output: "",
    errors:
      'skerry: Cannot find pod "db": no pod and no manifest has that name\n',
  });
});

Deno.test("main() watches until it is stopped, and writes what changes", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.pods = [stubPod("web-n1")];
  await using _server = await agent.serve(path);
  const io = new TestIo();
  let writes = 0;
  io.written = () => {
    writes++;
    const status = { phase: "Running", reason: `Step${writes}` };
    agent.pods = [{ ...stubPod("web-n1"), status }];
    if (writes === 3) io.stopping.abort();
    // Once the watcher sleeps; while it asks, its time to wait for an answer runs too.
    else setTimeout(() => void io.clock.advance(1_000), 0);
  };
  strictEqual((await run(`get pods -w --control-socket=${path}`, io)).code, 0);
  deepStrictEqual(
    io.output.split("\n").map((line) => line.split(/ +/)[2]),
    ["STATUS", "Running", "Step1", "Step2", undefined],
  );
});

Deno.test("main() shows logs, defaults the container and passes refusals on", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const log = `${dir.path}/0.log`;
  await Deno.writeTextFile(
    log,
    `${TIME} stdout F a\n${TIME} stdout F b\n`,
  );
  const agent = new AgentStub();
  const web = stubPod("web-n1");
  const containers = ["c", "d"].map((name) => ({ name, image: "i" }));
  agent.pods = [{ ...web, spec: { ...web.spec, containers } }];
  agent.locate = ({ container }) =>
    container === "c"
      ? { kind: "found", path: log, isRunning: () => false }
      : { kind: "not_started", message: "is waiting to start" };
  await using _server = await agent.serve(path);
  const at = `--control-socket=${path}`;
  deepStrictEqual(await run(`logs web ${at} --tail 1`), {
    code: 0,
    output: "b\n",
    errors: 'Defaulted container "c" out of: c, d\n',
  });
  strictEqual((await run(`logs web-n1 -c c -f ${at}`)).output, "a\nb\n");
  deepStrictEqual(await run(`logs web -c d ${at}`), {
    code: 1,
    output: "",
    errors: "skerry: is waiting to start\n",
  });
  strictEqual((await run(`logs nope ${at}`)).code, 1);
});

Deno.test("main() ends quietly when nobody reads its output", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  await using _server = await new AgentStub().serve(path);
  const io = new TestIo();
  io.written = () => {
    throw new OutputClosedError("Cannot write: nobody reads the output");
  };
  const { code, errors } = await run(`metrics --control-socket=${path}`, io);
  deepStrictEqual([code, errors], [0, ""]);
});

const GOOD = `
apiVersion: v1
kind: Pod
metadata: {name: good}
spec: {containers: [{name: c, image: i}]}
`;

Deno.test("main() validates files, directories and standard input", async () => {
  await using dir = await TempDir.make();
  await Deno.writeTextFile(`${dir.path}/good.yaml`, GOOD);
  await Deno.writeTextFile(`${dir.path}/.hidden`, "nonsense: [");
  deepStrictEqual(await run(`validate ${dir.path}`), {
    code: 0,
    output: `${dir.path}/good.yaml: ok, 1 pod\n`,
    errors: "",
  });
  await Deno.writeTextFile(
    `${dir.path}/bad.yaml`,
    `${GOOD}---\n${GOOD.replace("image: i", "imag: i")}`,
  );
  const bad = await run(`validate ${dir.path}`);
  strictEqual(bad.code, 1);
  const [first] = bad.output.split("\n");
  ok(
    first?.startsWith(`${dir.path}/bad.yaml: document 2, line `),
    String(first),
  );
  ok(first?.includes("spec.containers[0].imag"), String(first));
  ok(bad.output.includes("good.yaml: ok"));
  const io = new TestIo();
  io.stdin = GOOD;
  deepStrictEqual((await run("validate -", io)).code, 0);
  const missing = await run(`validate ${dir.path}/none.yaml`);
  strictEqual(missing.code, 1);
});

Deno.test("main() tells all faults of a run and exits 64", async () => {
  const { code, errors } = await run("run --healthz-port=x --rot-dir=/y");
  strictEqual(code, 64);
  strictEqual(errors.split("\n").length, 4);
  ok(errors.includes('Run "skerry run --help" for help.'));
});
