/**
 * Commands that change the manifests of a folder.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  DATA,
  ManifestFolderRig as Folder,
  WEB_MANIFEST,
} from "../../support/cli/manifest_folder_rig.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";

for (
  const [line, said, from, to] of [
    ["scale deploy web --replicas=5 -n shop", "scaled", "2   #", "5   #"],
    [
      "set image deploy/web server=nginx:1.27 -n shop",
      "image updated",
      "nginx:1.26",
      "nginx:1.27",
    ],
    [
      "set image deploy web init=b:2 -n shop",
      "image updated",
      '"busybox:1"',
      '"b:2"',
    ],
    [
      "rollout restart deploy web -n shop",
      "restarted",
      "      labels: {app: web}",
      "      annotations:\n        kubectl.kubernetes.io/restartedAt: '1970-01-01T00:00:00Z'\n      labels: {app: web}",
    ],
    [
      "rollout pause deploy web -n shop",
      "paused",
      "  replicas: 2",
      "  paused: true\n  replicas: 2",
    ],
  ] as const
) {
  Deno.test(`main() carries out "${line}" in the manifest of another`, async () => {
    await using folder = await Folder.make({
      "web.yaml": `${DATA}---\n${WEB_MANIFEST}`,
    });
    const before = await folder.files();
    const dry = await folder.run(`${line} --dry-run=client`);
    strictEqual(dry.errors, "");
    strictEqual(dry.output, `deployment.apps/web ${said} (dry run)\n`);
    deepStrictEqual(await folder.files(), before);
    const { code, output, errors } = await folder.run(line);
    strictEqual(errors, "");
    strictEqual(code, 0);
    strictEqual(output, `deployment.apps/web ${said}\n`);
    const at = `${DATA}---\n${WEB_MANIFEST}`;
    const wanted = at.replace(from, () => to);
    ok(wanted !== at);
    const after = await folder.files();
    const text = after["web.yaml"]?.replace(
      /restartedAt: '[-\dT:]{19}Z'/,
      "restartedAt: '1970-01-01T00:00:00Z'",
    );
    deepStrictEqual({ ...after, "web.yaml": text }, { "web.yaml": wanted });
  });
}

Deno.test("main() sets the images of all containers at once, and of CronJobs and Pods", async () => {
  const cron = `apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: x}]}}}}
`;
  const pod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - image: x\n    name: a\n";
  await using folder = await Folder.make({
    "web.yaml": WEB_MANIFEST,
    "cron.yaml": cron,
    "pod.yml": pod,
  });
  strictEqual((await folder.run("set image cj/tick a=y:2")).errors, "");
  strictEqual((await folder.run("set image pod p a=y:2")).errors, "");
  strictEqual(
    (await folder.run("set image deploy web *=y:3 -n shop")).errors,
    "",
  );
  deepStrictEqual(await folder.files(), {
    "cron.yaml": cron.replace("image: x", "image: y:2"),
    "pod.yml": pod.replace("image: x", "image: y:2"),
    "web.yaml": WEB_MANIFEST.replace("busybox:1", "y:3").replace(
      "nginx:1.26",
      "y:3",
    ),
  });
});

Deno.test("main() says nothing of an image that is set already", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const same = await folder.run(
    "set image deploy web server=nginx:1.26 -n shop",
  );
  deepStrictEqual(same, { code: 0, output: "", errors: "" });
  const one = await folder.run(
    "set image deploy web server=nginx:1.26 init=b -n shop",
  );
  strictEqual(one.output, "deployment.apps/web image updated\n");
  deepStrictEqual(await folder.files(), {
    "web.yaml": WEB_MANIFEST.replace("busybox:1", "b"),
  });
});

Deno.test("main() pauses and resumes a rollout once, and restarts none that is paused", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const at = "-n shop";
  match(
    (await folder.run(`rollout resume deploy web ${at}`)).errors,
    /Cannot resume Deployment "shop\/web": it is not paused/,
  );
  strictEqual((await folder.run(`rollout pause deploy web ${at}`)).code, 0);
  match(
    (await folder.run(`rollout pause deploy web ${at}`)).errors,
    /it is already paused/,
  );
  match(
    (await folder.run(`rollout restart deploy web ${at}`)).errors,
    /it is paused/,
  );
  strictEqual((await folder.run(`rollout resume deploy web ${at}`)).code, 0);
  strictEqual(
    (await folder.files())["web.yaml"],
    WEB_MANIFEST.replace("  replicas", "  paused: false\n  replicas"),
  );
});

for (
  const [line, files, fault] of [
    [
      "scale deploy gone --replicas=1",
      {},
      /Cannot find Deployment "default\/gone": no manifest in/,
    ],
    [
      "scale deploy web --replicas=1",
      { "a.yaml": WEB_MANIFEST },
      /Cannot find Deployment "default\/web"/,
    ],
    [
      "scale deploy web --replicas=1 -n shop",
      { "a.yaml": WEB_MANIFEST, "b.yaml": WEB_MANIFEST },
      /Cannot tell which Deployment "shop\/web" is meant: found it in ".*a\.yaml" and ".*b\.yaml"/,
    ],
    [
      "scale deploy web --replicas=1 -n shop",
      {
        "a.yaml": WEB_MANIFEST.replace("2   #", "&n 2   #").replace(
          "image: nginx:1.26",
          "image: nginx\n        priority: *n",
        ),
      },
      /Cannot change Deployment "shop\/web" in ".*", which somebody else wrote: "spec\.replicas" is not written/,
    ],
    [
      "set image deploy web other=x -n shop",
      { "a.yaml": WEB_MANIFEST },
      /Cannot set the image of "other": Deployment "shop\/web" has no container of that name/,
    ],
    ["delete cm settings -n shop", { "a.yaml": DATA }, /Cannot find ConfigMap/],
    [
      "delete cm settings",
      {
        "a.yaml": `apiVersion: v1\nkind: List\nitems:\n- ${
          DATA.trim().replaceAll("\n", "\n  ")
        }\n`,
      },
      /Cannot delete ConfigMap "default\/settings": it is an item of a list/,
    ],
    ["apply -f /gone.yaml", {}, /Cannot read "\/gone\.yaml": found nothing/],
  ] as const
) {
  Deno.test(`main() refuses "${line}" with ${fault}`, async () => {
    await using folder = await Folder.make(files);
    const before = await folder.files();
    const { code, output, errors } = await folder.run(line);
    strictEqual(code, 1);
    strictEqual(output, "");
    match(errors, fault);
    deepStrictEqual(await folder.files(), before);
  });
}

Deno.test("main() changes an item of a list in its place", async () => {
  const list = (count: number) =>
    `kind: List\napiVersion: v1\nitems:\n- ${
      WEB_MANIFEST.replace("2   #", `${count}   #`).trim().replaceAll(
        "\n",
        "\n  ",
      )
    }\n`;
  await using folder = await Folder.make({ "list.yaml": list(2) });
  const { errors } = await folder.run("scale deploy web --replicas=7 -n shop");
  strictEqual(errors, "");
  deepStrictEqual(await folder.files(), { "list.yaml": list(7) });
});

Deno.test("main() does not write through links, and keeps the mode of a file", async () => {
  await using folder = await Folder.make({});
  const path = await folder.beside("real.yaml", WEB_MANIFEST);
  await Deno.symlink(path, `${folder.path}/web.yaml`);
  const linked = await folder.run("scale deploy web --replicas=3 -n shop");
  strictEqual(linked.code, 1);
  match(linked.errors, /it is a link/);
  await Deno.remove(`${folder.path}/web.yaml`);
  await Deno.writeTextFile(`${folder.path}/web.yaml`, WEB_MANIFEST, {
    mode: 0o600,
  });
  strictEqual(
    (await folder.run("scale deploy web --replicas=3 -n shop")).code,
    0,
  );
  const { mode } = await Deno.stat(`${folder.path}/web.yaml`);
  strictEqual((mode ?? 0) & 0o777, 0o600);
});

Deno.test("main() changes one manifest that is the whole source, and adds none to it", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const at = `--pod-manifest-path=${folder.path}/web.yaml`;
  const { code } = await run(`scale deploy web --replicas=3 -n shop ${at}`);
  strictEqual(code, 0);
  match((await folder.files())["web.yaml"] ?? "", /replicas: 3 {3}# enough/);
  const io = new TestIo();
  io.stdin = DATA;
  const added = await run(`apply -f - ${at}`, io);
  strictEqual(added.code, 1);
  match(added.errors, /is one manifest, wanted a directory/);
});

Deno.test("main() takes for manifests what the agent would", async () => {
  await using folder = await Folder.make({
    "web.yaml": WEB_MANIFEST,
    "web.yaml.old": WEB_MANIFEST,
    ".web.yaml": WEB_MANIFEST,
  });
  const { errors } = await folder.run("scale deploy web --replicas=3 -n shop");
  strictEqual(errors, "");
});

Deno.test("main() changes a manifest whose bracket closes where Kubernetes takes it", async () => {
  const text = WEB_MANIFEST.replace(
    "image: nginx:1.26\n",
    "image: nginx:1.26\n        command: [\n          sleep, # long\n        ]\n",
  );
  await using folder = await Folder.make({ "web.yaml": text });
  const { errors } = await folder.run(
    "set image deploy web server=nginx:2 -n shop",
  );
  strictEqual(errors, "");
  deepStrictEqual(await folder.files(), {
    "web.yaml": text.replace("nginx:1.26", "nginx:2"),
  });
});
