/**
 * `skerry validate` on real files.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempDir } from "../../support/temp_dir.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";

const GOOD = `
apiVersion: v1
kind: Pod
metadata: {name: good}
spec: {containers: [{name: c, image: i}]}
`;

const SETTINGS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {A: "1"}
`;

const REFERRING = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers:
  - name: c
    image: i
    envFrom:
    - configMapRef: {name: settings}
    - configMapRef: {name: more, optional: true}
    - secretRef: {name: password}
`;

/** The lines of a run over these files, without the directory before their names. */
async function validated(
  files: Readonly<Record<string, string>>,
  flags = "",
): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  await using dir = await TempDir.make();
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${dir.path}/${name}`, text);
  }
  const { code, output } = await run(`validate ${flags}${dir.path}`);
  const lines = output.replaceAll(`${dir.path}/`, "").trimEnd().split("\n");
  return { code, lines };
}

Deno.test("main() validates files, directories and standard input", async () => {
  await using dir = await TempDir.make();
  await Deno.writeTextFile(`${dir.path}/good.yaml`, GOOD);
  deepStrictEqual(await run(`validate ${dir.path}`), {
    code: 0,
    output: `${dir.path}/good.yaml: ok, 1 pod\n` +
      `${dir.path}/good.yaml: Pod default/good\n`,
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

Deno.test("main() validates the files of a directory that the agent would read", async () => {
  deepStrictEqual(
    await validated({
      ".hidden.yaml": "nonsense: [",
      "good.yaml~": "nonsense: [",
      "notes.txt": "nonsense: [",
      "good.yaml": GOOD,
    }),
    { code: 0, lines: ["good.yaml: ok, 1 pod", "good.yaml: Pod default/good"] },
  );
  const { code, lines } = await validated({ "notes.txt": "" });
  strictEqual(code, 1);
  ok(lines[0]?.includes("found no file named"), lines.join("\n"));
});

Deno.test("main() tells what manifests hold, and what pods refer to that is not there", async () => {
  deepStrictEqual(
    await validated({ "a.yaml": SETTINGS, "b.yaml": REFERRING }),
    {
      code: 0,
      lines: [
        "a.yaml: ok, 1 object",
        "a.yaml: ConfigMap shop/settings",
        "b.yaml: ok, 1 pod",
        "b.yaml: Pod shop/web",
        "b.yaml: warning: Pod shop/web refers to Secret shop/password, which is in none of these files",
      ],
    },
  );
});

Deno.test("main() warns of what is in two manifests", async () => {
  const both = `${SETTINGS}---\n${GOOD}`;
  const { code, lines } = await validated({ "a.yaml": both, "b.yaml": both });
  strictEqual(code, 0);
  deepStrictEqual(lines.slice(-2), [
    "b.yaml: warning: Pod default/good is in a.yaml as well, and only the first counts",
    "b.yaml: warning: ConfigMap shop/settings is in a.yaml as well, and only the first counts",
  ]);
});

Deno.test("main() validates with the agent's own limits, refused and warned of", async () => {
  const nfs = `${GOOD.trimEnd().slice(0, -1)}, volumes: [{name: v, nfs: {}}]}`;
  const refused = await validated({ "a.yaml": nfs });
  strictEqual(refused.code, 1);
  match(
    refused.lines[0] ?? "",
    /^a\.yaml: document 1, line \d+: spec\.volumes\[0\]\.nfs: Not supported/,
  );
  const windows = `${
    GOOD.trimEnd().slice(0, -1)
  }, securityContext: {windowsOptions: {}}}`;
  const warned = await validated({ "a.yaml": windows });
  strictEqual(warned.code, 0);
  match(
    warned.lines[2] ?? "",
    /^a\.yaml: warning: document 1, line \d+: spec\.securityContext\.windowsOptions: Has no effect/,
  );
});

Deno.test("main() validates unknown fields as told", async () => {
  const misspelt = GOOD.replace("image: i", "image: i, tyt: true");
  strictEqual((await validated({ "a.yaml": misspelt })).code, 1);
  const { code, lines } = await validated(
    { "a.yaml": misspelt },
    "--unknown-fields=warn ",
  );
  strictEqual(code, 0);
  ok(lines[2]?.includes('did you mean "tty"'), lines.join("\n"));
  strictEqual((await run("validate --unknown-fields=maybe x")).code, 64);
});

Deno.test("main() warns of probes that no agent can ask without a pod network, and checks their hosts with one", async () => {
  const asking = (httpGet: string) => ({
    "a.yaml": GOOD.replace("image: i", `image: i, livenessProbe: ${httpGet}`),
  });
  const own = asking("{httpGet: {port: 80}}");
  const lone = await validated(own);
  strictEqual(lone.code, 0);
  match(
    lone.lines[2] ?? "",
    /warning: document 1, line \d+: .*livenessProbe\.httpGet: Cannot be asked: .*--pod-network/,
  );
  const network = "--pod-network=10.1.0.0/16 ";
  strictEqual((await validated(own, network)).lines.length, 2);
  const far = await validated(
    asking("{httpGet: {port: 80, host: 10.2.0.1}}"),
    network,
  );
  strictEqual(far.code, 1);
  match(far.lines[0] ?? "", /lies outside the pod networks/);
});

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: i
        envFrom:
        - secretRef: {name: password}
`;

Deno.test("main() tells what makes pods, and what its pods refer to that is not there", async () => {
  deepStrictEqual(await validated({ "a.yaml": DEPLOYMENT, "b.yaml": GOOD }), {
    code: 0,
    lines: [
      "a.yaml: ok, 1 object",
      "a.yaml: Deployment shop/web",
      "b.yaml: ok, 1 pod",
      "b.yaml: Pod default/good",
      "a.yaml: warning: Deployment shop/web refers to Secret shop/password, which is in none of these files",
    ],
  });
});

Deno.test("main() warns of a Deployment that is in two manifests", async () => {
  const { lines } = await validated({
    "a.yaml": DEPLOYMENT,
    "b.yaml": DEPLOYMENT,
  });
  deepStrictEqual(lines.filter((line) => line.startsWith("b.yaml: warning")), [
    "b.yaml: warning: Deployment shop/web is in a.yaml as well, and only the first counts",
  ]);
});

Deno.test("main() validates templates with the agent's own limits, at their lines", async () => {
  const volumes = "      volumes: [{name: v, nfs: {}}]\n";
  const refused = await validated({ "a.yaml": DEPLOYMENT + volumes });
  strictEqual(refused.code, 1);
  match(
    refused.lines[0] ?? "",
    /^a\.yaml: document 1, line 15: spec\.template\.spec\.volumes\[0\]\.nfs: Not supported/,
  );
  const context = "      securityContext: {windowsOptions: {}}\n";
  const warned = await validated({ "a.yaml": DEPLOYMENT + context });
  match(
    warned.lines[2] ?? "",
    /warning: document 1, line 15: spec\.template\.spec\.securityContext\.windowsOptions: Has no effect/,
  );
});

Deno.test("main() tells which class of priorities is not there", async () => {
  const named = (name: string, more = "") =>
    GOOD.replace("spec: {", `spec: {priorityClassName: ${name}, ${more}`);
  const priorityClass =
    "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 5\n";
  const linesOf = async (...texts: readonly string[]) => {
    const { lines } = await validated({ "a.yaml": texts.join("---\n") });
    return lines.filter((line) => line.includes("warning"));
  };
  deepStrictEqual(await linesOf(named("high")), [
    "a.yaml: warning: Pod default/good refers to PriorityClass high, which is in none of these files",
  ]);
  deepStrictEqual(await linesOf(named("high"), priorityClass), []);
  deepStrictEqual(await linesOf(named("high", "priority: 5, ")), []);
  deepStrictEqual(await linesOf(named("system-node-critical")), []);
});
