/**
 * Manifests that commands must not write over.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict";
import { ManifestFolder } from "../../../mod/cli/manifests/mod.ts";
import {
  DATA,
  ManifestFolderRig as Folder,
  WEB_MANIFEST,
} from "../../support/cli/manifest_folder_rig.ts";

const NAME = "configmap-default-settings.yaml";

Deno.test("main() applies nothing over a file that it cannot read", async () => {
  const broken = `${DATA}# half of an edit\n  : [\n`;
  await using folder = await Folder.make({ [NAME]: broken });
  for (const verb of ["apply", "diff"]) {
    const { errors, output } = await folder.run(`${verb} -f -`, DATA);
    match(errors, /settings.yaml" is there and holds something else/);
    strictEqual(output, "");
  }
  deepStrictEqual(await folder.files(), { [NAME]: broken });
});

Deno.test("main() applies nothing over a link that leads nowhere", async () => {
  await using folder = await Folder.make({});
  await Deno.symlink("/nowhere/at/all", `${folder.path}/${NAME}`);
  const { errors } = await folder.run("apply -f -", DATA);
  match(errors, /settings.yaml" is there and holds something else/);
  strictEqual(
    await Deno.readLink(`${folder.path}/${NAME}`),
    "/nowhere/at/all",
  );
});

const WEB = { kind: "Deployment", namespace: "shop", name: "web" };

function planWith(read: ManifestFolder, kind: "edit" | "remove" | "add") {
  if (kind === "add") {
    return read.add({ ...WEB, name: "other" }, WEB_MANIFEST);
  }
  const found = read.find(WEB);
  if (found === undefined) throw new Error("It is not there");
  return kind === "remove"
    ? read.remove(found)
    : read.edit(found, [{ path: ["spec", "replicas"], value: 7 }]);
}

for (const kind of ["edit", "remove"] as const) {
  Deno.test(`carryOut() leaves a file alone that somebody changed since it was read: ${kind}`, async () => {
    await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
    const read = await ManifestFolder.read(folder.path);
    const plan = planWith(read, kind);
    const theirs = WEB_MANIFEST.replace("nginx:1.26", "nginx:1.27");
    await Deno.writeTextFile(`${folder.path}/web.yaml`, theirs);
    await rejects(read.carryOut(plan), {
      name: "ManifestChangeError",
      message:
        `Cannot write "${folder.path}/web.yaml": it has changed since it was read`,
    });
    deepStrictEqual(await folder.files(), { "web.yaml": theirs });
  });
}

Deno.test("carryOut() leaves a file alone that came since the folder was read", async () => {
  await using folder = await Folder.make({});
  const read = await ManifestFolder.read(folder.path);
  const plan = planWith(read, "add");
  const name = "deployment-shop-other.yaml";
  await Deno.writeTextFile(`${folder.path}/${name}`, "theirs: 1\n");
  await rejects(read.carryOut(plan), { name: "ManifestChangeError" });
  deepStrictEqual(await folder.files(), { [name]: "theirs: 1\n" });
});

Deno.test("carryOut() reads what was written again, and nothing else", async () => {
  await using folder = await Folder.make({});
  const read = await ManifestFolder.read(folder.path);
  await Deno.writeTextFile(`${folder.path}/late.yaml`, DATA);
  const other = { ...WEB, name: "other" };
  const text = WEB_MANIFEST.replace("name: web", "name: other");
  await read.carryOut(read.add(other, text));
  const found = read.find(other);
  if (found === undefined) throw new Error("It is not there");
  throws(() => read.add(other, text), /is there and holds something else/);
  const late = { kind: "ConfigMap", namespace: "default", name: "settings" };
  strictEqual(read.find(late), undefined);
  await read.carryOut(read.remove(found));
  strictEqual(read.find(other), undefined);
  await read.carryOut(read.add(other, text));
  deepStrictEqual(Object.keys(await folder.files()).sort(), [
    "deployment-shop-other.yaml",
    "late.yaml",
  ]);
});
