/**
 * `apply`, `diff` and `delete`, which change the manifests of a folder.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  DATA,
  ManifestFolderRig as Folder,
  WEB_MANIFEST,
} from "../../support/cli/manifest_folder_rig.ts";

const OWN = '# Written by "skerry apply", which may write all of it again.\n';

Deno.test("main() applies documents as files of their own, and again only what differs", async () => {
  await using folder = await Folder.make({});
  const path = await folder.beside("in.yaml", `${DATA}---\n${WEB_MANIFEST}`);
  const dry = await folder.run(`apply -f ${path} --dry-run=client`);
  strictEqual(
    dry.output,
    "configmap/settings created (dry run)\ndeployment.apps/web created (dry run)\n",
  );
  deepStrictEqual(await folder.files(), {});
  const diff = await folder.run(`diff -f ${path}`);
  strictEqual(diff.code, 1);
  match(diff.output, /^\+kind: ConfigMap$/m);
  deepStrictEqual(await folder.files(), {});
  const first = await folder.run(`apply -f ${path}`);
  strictEqual(first.errors, "");
  strictEqual(
    first.output,
    "configmap/settings created\ndeployment.apps/web created\n",
  );
  deepStrictEqual(await folder.files(), {
    "configmap-default-settings.yaml": `${OWN}${DATA}`,
    "deployment-shop-web.yaml": `${OWN}---\n${WEB_MANIFEST}`,
  });
  const { mode } = await Deno.stat(`${folder.path}/deployment-shop-web.yaml`);
  strictEqual((mode ?? 0) & 0o777, 0o644);
  const changed = WEB_MANIFEST.replace("# the shop", "# another shop")
    .replace("replicas: 2 ", "replicas: 3 ");
  const again = await folder.run("apply -f -", `${DATA}---\n${changed}`);
  strictEqual(
    again.output,
    "configmap/settings unchanged\ndeployment.apps/web configured\n",
  );
  strictEqual(
    (await folder.files())["deployment-shop-web.yaml"],
    `${OWN}---\n${changed}`,
  );
  const same = await folder.run("diff -f -", changed);
  deepStrictEqual([same.code, same.output, same.errors], [0, "", ""]);
});

Deno.test("main() applies to the manifest of another in its place, or not at all", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const wanted = WEB_MANIFEST.replace("# the shop\n", "").replace(
    " # the only one",
    "",
  )
    .replace("replicas: 2   # enough", "replicas: 9")
    .replace("nginx:1.26", "nginx:2");
  const { output, errors } = await folder.run("apply -f -", wanted);
  strictEqual(errors, "");
  strictEqual(output, "deployment.apps/web configured\n");
  const after = WEB_MANIFEST.replace("replicas: 2 ", "replicas: 9 ")
    .replace("nginx:1.26", "nginx:2");
  deepStrictEqual(await folder.files(), { "web.yaml": after });
  const diff = await folder.run("diff -f -", wanted.replace("nginx:2", "x"));
  strictEqual(
    diff.output,
    `--- ${folder.path}/web.yaml
+++ ${folder.path}/web.yaml
@@ -14,4 +14,4 @@
       - {name: init, image: "busybox:1"}
       containers:
       - name: server # the only one
-        image: nginx:2
+        image: x
`,
  );
  const other = wanted.replace(
    "      initContainers:",
    "      volumes: [{name: v, emptyDir: {}}]\n      initContainers:",
  ).replace(
    '      - {name: init, image: "busybox:1"}\n',
    "      - {name: a, image: b}\n      - {name: c, image: d}\n",
  );
  const refused = await folder.run("apply -f -", other);
  strictEqual(refused.code, 1);
  match(refused.errors, /which somebody else wrote/);
  deepStrictEqual(await folder.files(), { "web.yaml": after });
});

Deno.test("main() applies what is written as JSON, and refuses what is no good manifest", async () => {
  await using folder = await Folder.make({});
  const json = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { x: "true" },
  });
  strictEqual((await folder.run("apply -f -", json)).errors, "");
  deepStrictEqual(await folder.files(), {
    "configmap-default-a.yaml":
      `${OWN}apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 'true'\n`,
  });
  const bad = await folder.run(
    "apply -f -",
    `${DATA}---\n${
      WEB_MANIFEST.replace(
        "containers:\n      - name",
        "containers:\n      - nam",
      )
    }`,
  );
  strictEqual(bad.code, 1);
  match(bad.errors, /Cannot use "standard input":/);
  const list = await folder.run(
    "apply -f -",
    `apiVersion: v1\nkind: List\nitems:\n- ${json}\n`,
  );
  match(list.errors, /found a list, wanted its items as documents/);
  strictEqual(Object.keys(await folder.files()).length, 1);
});

Deno.test("main() applies and deletes documents that end with dots", async () => {
  await using folder = await Folder.make({});
  const other = DATA.replace("settings", "other");
  const text = `${DATA}...\n${other}... \n---\n`;
  const { output } = await folder.run("apply -f -", text);
  strictEqual(output, "configmap/settings created\nconfigmap/other created\n");
  deepStrictEqual(await folder.files(), {
    "configmap-default-settings.yaml": `${OWN}${DATA}...\n`,
    "configmap-default-other.yaml": `${OWN}${other}... \n`,
  });
  await using both = await Folder.make({ "both.yaml": text });
  strictEqual((await both.run("delete cm other")).errors, "");
  deepStrictEqual(await both.files(), { "both.yaml": `${DATA}...\n---\n` });
});

Deno.test("main() deletes files, and documents out of files", async () => {
  const pair = `# head\n${DATA}---\n# the web\n${WEB_MANIFEST}---\n${
    DATA.replace("settings", "last")
  }`;
  await using folder = await Folder.make({
    "a.yaml": pair,
    "b.yml": DATA.replace("settings", "b"),
  });
  strictEqual(
    (await folder.run("delete cm b --dry-run=client")).output,
    'configmap "b" deleted from default namespace (dry run)\n',
  );
  strictEqual(Object.keys(await folder.files()).length, 2);
  strictEqual(
    (await folder.run("delete cm b")).output,
    'configmap "b" deleted from default namespace\n',
  );
  strictEqual(
    (await folder.run("delete deploy/web -n shop")).output,
    'deployment.apps "web" deleted from shop namespace\n',
  );
  deepStrictEqual(await folder.files(), {
    "a.yaml": `# head\n${DATA}---\n${DATA.replace("settings", "last")}`,
  });
  const both = await folder.run("delete cm settings last");
  strictEqual(both.errors, "");
  deepStrictEqual(await folder.files(), {});
});

Deno.test("main() deletes what files hold", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const { output } = await folder.run("delete -f -", WEB_MANIFEST);
  strictEqual(output, 'deployment.apps "web" deleted from shop namespace\n');
  deepStrictEqual(await folder.files(), {});
});

Deno.test("main() deletes what has no namespace", async () => {
  const kind = "kind: PriorityClass\napiVersion: scheduling.k8s.io/v1";
  const text = `${kind}\nmetadata: {name: high}\nvalue: 1\n`;
  await using folder = await Folder.make({ "a.yaml": text });
  const { output } = await folder.run("delete pc high -n shop");
  strictEqual(output, 'priorityclass.scheduling.k8s.io "high" deleted\n');
  deepStrictEqual(await folder.files(), {});
});
