/**
 * Client commands against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { OutputClosedError } from "../../../mod/cli/mod.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";

const TIME = "2024-05-06T07:08:09.123456789Z";

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

Deno.test("main() gets sources in every form", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  const at = `--control-socket=${path}`;
  const time = { lastTransitionTime: "2024-01-01T00:00:00Z" };
  const well = {
    status: "True",
    reason: "Valid",
    message: "",
    ...time,
  } as const;
  agent.sources = [{
    name: "file",
    location: "/m",
    ready: true,
    pods: 3,
    conditions: [{ type: "Reachable", ...well }, {
      type: "ManifestsValid",
      status: "False",
      reason: "InvalidManifest",
      message: "/m/a.yaml: bad\nname",
      ...time,
    }],
    lastGood: [
      { manifest: "/m/a.yaml", pods: ["default/a", "default/b"] },
      { manifest: "/m/w.yaml", pods: [], workloads: ["Deployment default/w"] },
    ],
  }, {
    name: "http",
    location: "http://h/",
    ready: false,
    pods: 0,
    conditions: [],
    lastGood: [],
  }, {
    name: "api",
    location: "https://a:6443",
    ready: true,
    pods: 1,
    // One reason for two of them is said once.
    conditions: ["Reachable", "Allowed"].map((type) => ({
      type,
      status: "False",
      reason: "Unauthorized",
      message: `not ${type}\u001b[2J`,
      ...time,
    })),
    lastGood: [],
  }];
  const table = (await run(`get sources -o wide ${at}`)).output.split("\n")
    .map((line) => line.split(/ {3,}/));
  deepStrictEqual(table.map((cells) => cells.toSpliced(5, 1)), [
    [
      ...["NAME", "READY", "PODS", "LAST-GOOD", "STATUS", "LOCATION"],
      "MESSAGE",
    ],
    [
      ...["file", "True", "3", "3", "InvalidManifest", "/m"],
      "/m/a.yaml: bad name",
    ],
    ["http", "False", "0", "0", "Starting", "http://h/", "<none>"],
    [
      ...["api", "True", "1", "0", "Unauthorized", "https://a:6443"],
      "not Reachable [2J; not Allowed [2J",
    ],
    [""],
  ]);
  const { items, kind } = JSON.parse(
    (await run(`get sources -o json ${at}`)).output,
  );
  deepStrictEqual([kind, items], ["SourceList", agent.sources]);
  strictEqual(
    (await run(`get sources -o name ${at}`)).output,
    "source/file\nsource/http\nsource/api\n",
  );
  ok((await run(`get sources -o yaml ${at}`)).output.includes("name: file"));
});

Deno.test("main() watches until it is stopped, and writes what changes", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.pods = [stubPod("web-n1")];
  await using _server = await agent.serve(path);
  const io = new TestIo();
  using quiet = await Quiet.open(io);
  let writes = 0;
  io.written = () => {
    writes++;
    const status = { phase: "Running", reason: `Step${writes}` };
    agent.pods = [{ ...stubPod("web-n1"), status }];
    if (writes === 3) io.stopping.abort();
  };
  const watching = run(`get pods -w --control-socket=${path}`, io);
  await quiet.pass(60, () => writes === 3);
  strictEqual((await watching).code, 0);
  deepStrictEqual(
    io.output.split("\n").map((line) => line.split(/ +/)[2]),
    ["STATUS", "Running", "Step1", "Step2", undefined],
  );
});

Deno.test("main() says beside a table of pods that their API server is away, and when it is back", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.pods = [stubPod("web-n1")];
  const kept = { lasting: ["pods"], untilReboot: [] };
  const api = {
    name: "api",
    location: "https://a:6443",
    ready: true,
    pods: 1,
    conditions: [],
    lastGood: [],
  };
  const away = { reachable: false, silentSince: TIME, kept };
  agent.sources = [{ ...api, server: away }];
  await using _server = await agent.serve(path);
  const at = `--control-socket=${path}`;
  for (const command of ["get pods", "get pods -o wide", "get pods,cm"]) {
    const { errors } = await run(`${command} ${at}`);
    ok(errors.startsWith("The API server https://a:6443 has not"), errors);
  }
  for (const form of ["json", "yaml", "name"]) {
    strictEqual((await run(`get pods -o ${form} ${at}`)).errors, "");
  }
  strictEqual((await run(`get cm ${at}`)).errors.includes("API server"), false);
  const io = new TestIo();
  using quiet = await Quiet.open(io);
  let writes = 0;
  io.written = () => {
    writes++;
    // The first lines repeat nothing though time passes.
    const status = { phase: "Running", reason: `Step${writes}` };
    agent.pods = [{ ...stubPod("web-n1"), status }];
    if (writes === 2) {
      agent.sources = [{
        ...api,
        server: { ...away, reachable: true, silentSince: undefined },
      }];
    }
    if (writes === 4) io.stopping.abort();
  };
  const watching = run(`get pods -w ${at}`, io);
  await quiet.pass(60, () => writes === 4);
  strictEqual((await watching).code, 0);
  deepStrictEqual(io.errors.split("\n").map((line) => line.slice(0, 39)), [
    "The API server https://a:6443 has not a",
    "The API server answers again",
    "",
  ]);
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

Deno.test("main() tells all faults of a run and exits 64", async () => {
  const { code, errors } = await run("run --healthz-port=x --rot-dir=/y");
  strictEqual(code, 64);
  strictEqual(errors.split("\n").length, 4);
  ok(errors.includes('Run "skerry run --help" for help.'));
});
