/**
 * The file source on real files and real hints of the system.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import {
  age,
  manifestYaml,
  startSourceRig,
} from "../../support/source/source_rig.ts";

Deno.test("FileSource gives a manifest that is renamed in its identity (SRC-01)", async () => {
  await using rig = await startSourceRig();
  await rig.untilNames();
  await rig.put("web.yaml", manifestYaml("web"));
  await rig.untilNames("web");
  const [pod] = rig.last?.pods ?? [];
  ok(pod);
  strictEqual(rig.last?.source, "file");
  strictEqual(pod.metadata.name, "web-node-1");
  strictEqual(pod.metadata.namespace, "default");
  match(pod.metadata.uid, /^[0-9a-f]{32}$/);
  strictEqual(
    pod.metadata.annotations?.["kubernetes.io/config.hash"],
    pod.metadata.uid,
  );
  strictEqual(
    pod.metadata.annotations?.["kubernetes.io/config.source"],
    "file",
  );
  strictEqual(pod.spec.nodeName, "Node-1");
  deepStrictEqual(pod.spec.tolerations, [{
    operator: "Exists",
    effect: "NoExecute",
  }]);
});

Deno.test("FileSource reads a manifest that is renamed in without delay", async () => {
  await using rig = await startSourceRig({
    prepare: async (rig) => {
      for (let number = 0; number < 100; number++) {
        await rig.put(`p${number}.yaml`, manifestYaml(`p${number}`));
        await age(rig.path(`p${number}.yaml`));
      }
      await age(rig.manifests);
    },
  });
  await rig.until(() => rig.last?.pods.length === 100, "all pods");
  for (let round = 0; round < 10; round++) {
    const count = rig.sets.length;
    await rig.put(
      "late.yaml",
      manifestYaml("late", { image: `busybox:${round}` }),
    );
    await rig.until(() => rig.sets.length > count, "the late pod");
  }
  strictEqual(rig.passedMs, 0);
});

Deno.test("FileSource delivers a burst of manifests in few sets", async () => {
  await using rig = await startSourceRig();
  await rig.untilNames();
  const count = 100;
  for (let number = 0; number < count; number++) {
    await Deno.writeTextFile(
      join(rig.root, `n${number}`),
      manifestYaml(`p${number}`),
    );
  }
  await Promise.all(
    Array.from(
      { length: count },
      (_, number) =>
        Deno.rename(
          join(rig.root, `n${number}`),
          rig.path(`p${number}.yaml`),
        ),
    ),
  );
  await rig.until(() => rig.last?.pods.length === count, "all pods");
  ok(rig.sets.length <= 40, `${rig.sets.length} sets`);
});

Deno.test("FileSource delivers nothing for a change that means the same (SRC-03)", async () => {
  await using rig = await startSourceRig({ checkFrequencyMs: 120 });
  const text = manifestYaml("web");
  await rig.put("web.yaml", text);
  await rig.untilNames("web");
  const count = rig.sets.length;
  const path = rig.path("web.yaml");
  const other =
    "# a comment\nkind: Pod\napiVersion:   v1\nspec:\n  containers: [{image: busybox, name: main}]\nmetadata: {name: web}\n";
  await rig.untilRead(() => Deno.utime(path, 1_700_000_000, 1_700_000_000));
  await rig.untilRead(() => Deno.writeTextFile(path, text));
  await rig.untilRead(() => Deno.writeTextFile(path, other));
  await Deno.chmod(path, 0o600);
  await rig.untilRead(() => rig.put("web.yaml", `${text}\n# another\n`));
  await rig.untilLooked();
  strictEqual(rig.sets.length, count);
  deepStrictEqual(rig.report(), []);
});

Deno.test("FileSource keeps the last good pods of an invalid edit (SRC-05)", async () => {
  await using rig = await startSourceRig({ checkFrequencyMs: 120 });
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.put("b.yaml", manifestYaml("b"));
  await rig.untilNames("a", "b");
  const before = rig.last;
  const path = rig.path("a.yaml");
  for (
    const [name, text] of [
      ["empty", ""],
      ["broken", "{{{{"],
      [
        "faulty",
        manifestYaml("a").replace(/containers:[^]*/, "containers: []\n"),
      ],
    ] as const
  ) {
    await Deno.writeTextFile(path, text);
    await rig.until(() => rig.report().length === 1, name);
    await rig.untilLooked();
    const [report] = rig.report();
    ok(report?.kind === "last_good", name);
    strictEqual(report.file, path);
    strictEqual(report.pods[0]?.metadata.name, "a-node-1");
  }
  match(rig.metrics.render(), /skerry_manifest_invalid\{file=".*a\.yaml"\} 1/);
  ok(
    rig.events.some(({ pod, message }) =>
      pod.name === "a-node-1" && message.includes(path)
    ),
  );
  await Deno.writeTextFile(path, manifestYaml("a"));
  await rig.until(() => rig.report().length === 0, "the repair");
  ok(!rig.metrics.render().includes("a.yaml"));
  strictEqual(rig.last, before);
});

Deno.test("FileSource refuses a new manifest that is invalid and runs the others", async () => {
  await using rig = await startSourceRig();
  await rig.untilNames();
  await rig.put("bad.yaml", manifestYaml("bad").replace("busybox", "{{{"));
  await rig.put("good.yaml", manifestYaml("good"));
  await rig.untilNames("good");
  await rig.until(() => rig.report().length === 1, "the report");
  strictEqual(rig.report()[0]?.kind, "refused");
  await Deno.remove(rig.path("bad.yaml"));
  await rig.until(() => rig.report().length === 0, "the end of the report");
});

Deno.test("FileSource removes the last good pods with their file", async () => {
  await using rig = await startSourceRig();
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a");
  await rig.put("a.yaml", "nonsense");
  await rig.until(() => rig.report()[0]?.kind === "last_good", "the fault");
  await Deno.remove(rig.path("a.yaml"));
  await rig.untilNames();
  deepStrictEqual(rig.report(), []);
});

Deno.test("FileSource ignores backup copies and refuses duplicates of what it has (SRC-07, M42)", async () => {
  await using rig = await startSourceRig({ checkFrequencyMs: 120 });
  await rig.untilNames();
  await rig.put("kube-x.yaml", manifestYaml("x"));
  await rig.untilNames("x");
  await Deno.copyFile(rig.path("kube-x.yaml"), rig.path("kube-x.yaml.bak"));
  await rig.untilLooked();
  strictEqual(rig.sets.length, 2);
  await rig.put("kube-x-copy.yaml", manifestYaml("x", { image: "busybox:2" }));
  await rig.until(() => rig.report().length === 1, "the duplicate");
  const image = (): string | undefined =>
    rig.last?.pods[0]?.spec.containers[0]?.image;
  // Although "kube-x-copy.yaml" comes before "kube-x.yaml".
  strictEqual(image(), "busybox");
  const [report] = rig.report();
  ok(report?.kind === "duplicate");
  strictEqual(report.file, rig.path("kube-x-copy.yaml"));
  strictEqual(report.of, rig.path("kube-x.yaml"));
  await Deno.remove(rig.path("kube-x.yaml"));
  await rig.until(() => image() === "busybox:2", "the loser's turn");
  await rig.untilNames("x");
  deepStrictEqual(rig.report(), []);
});

Deno.test("FileSource survives what editors do (SRC-08)", async () => {
  await using rig = await startSourceRig({
    checkFrequencyMs: 60_000,
  });
  await rig.put("x.yaml", manifestYaml("x"));
  await rig.untilNames("x");
  const path = rig.path("x.yaml");
  // vim: a probe file, swap files, the original moved aside, a new one written.
  await Deno.writeTextFile(rig.path(".x.yaml.swp"), "b0VIM");
  await Deno.writeTextFile(rig.path("4913"), "");
  await Deno.remove(rig.path("4913"));
  await Deno.rename(path, rig.path("x.yaml~"));
  await Deno.writeTextFile(path, manifestYaml("x", { image: "busybox:vim" }));
  await Deno.remove(rig.path("x.yaml~"));
  await Deno.remove(rig.path(".x.yaml.swp"));
  // emacs: a dangling link as lock, a file of its own while it edits.
  await Deno.symlink("user@host.1:2", rig.path(".#x.yaml"));
  await Deno.writeTextFile(rig.path("#x.yaml#"), manifestYaml("x"));
  const image = (): string | undefined =>
    rig.last?.pods[0]?.spec.containers[0]?.image;
  await rig.until(() => image() === "busybox:vim", "vim's edit");
  // sed -i and rsync: a temporary file that is renamed.
  await Deno.writeTextFile(
    rig.path("sedQx1"),
    manifestYaml("x", { image: "sed" }),
  );
  await Deno.rename(rig.path("sedQx1"), path);
  await rig.until(() => image() === "sed", "sed's edit");
  await Deno.writeTextFile(
    rig.path(".x.yaml.AbC"),
    manifestYaml("x", { image: "rs" }),
  );
  await Deno.rename(rig.path(".x.yaml.AbC"), path);
  await rig.until(() => image() === "rs", "rsync's edit");
  deepStrictEqual(rig.report(), []);
  // Never without the pod, never with two.
  ok(rig.sets.slice(1).every(({ pods }) => pods.length === 1));
});

Deno.test("FileSource waits for a slow writer and never applies half a file", async () => {
  await using rig = await startSourceRig({ checkFrequencyMs: 120 });
  await rig.untilNames();
  const text = manifestYaml("slow") + "  - name: second\n    image: busybox\n";
  const bytes = new TextEncoder().encode(text);
  {
    using file = await Deno.open(rig.path("slow.yaml"), {
      write: true,
      createNew: true,
    });
    // The first part is a valid manifest by itself.
    await file.write(bytes.subarray(0, manifestYaml("slow").length));
    await rig.untilLooked();
    await file.write(bytes.subarray(manifestYaml("slow").length));
  }
  await rig.untilNames("slow");
  strictEqual(rig.sets.length, 2);
  strictEqual(rig.last?.pods[0]?.spec.containers.length, 2);
});

Deno.test("FileSource reads a file that is written in pieces after the last one", async () => {
  await using rig = await startSourceRig();
  await rig.untilNames();
  const lines = manifestYaml("appended").split("\n");
  for (const line of lines) {
    await rig.untilHint(() =>
      Deno.writeTextFile(rig.path("a.yaml"), `${line}\n`, { append: true })
    );
  }
  await rig.untilNames("appended");
  strictEqual(rig.sets.length, 2);
  ok(!rig.log.some((line) => line["message"] === "manifest_refused"));
});

Deno.test("FileSource gives the same identity again after a removal (SRC-11, SRC-12)", async () => {
  await using rig = await startSourceRig();
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a");
  const uid = rig.last?.pods[0]?.metadata.uid;
  await Deno.remove(rig.path("a.yaml"));
  await rig.untilNames();
  await rig.put("a.yaml", manifestYaml("a"));
  await rig.untilNames("a");
  strictEqual(rig.last?.pods[0]?.metadata.uid, uid);
  // Another file name is another pod (SRC-04).
  await Deno.rename(rig.path("a.yaml"), rig.path("b.yaml"));
  await rig.until(
    () => rig.last?.pods[0]?.metadata.uid !== uid && rig.names[0] === "a",
    "the new identity",
  );
});
