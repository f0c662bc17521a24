/**
 * Commands that change manifests under the grants that an executable has baked in.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { agentBundle } from "../../../scripts/bundle.ts";
import { parseCompileArguments } from "../../../scripts/compile.ts";
import { flagsOf } from "../../../scripts/permissions.ts";
import {
  DATA,
  ManifestFolderRig as Folder,
  WEB_MANIFEST,
} from "../../support/cli/manifest_folder_rig.ts";

/** Runs the bundle as the executable does that these arguments of `compile` give. */
async function bundleWith(compiled: readonly string[], folder: Folder) {
  const flag = `--pod-manifest-path=${folder.path}`;
  const parsed = await parseCompileArguments([...compiled, flag], "/");
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  const { grants, v8Flags } = parsed.options;
  const flags = [...flagsOf(grants, v8Flags), "--no-prompt"];
  const entry = await agentBundle();
  return async (line: string, stdin = "") => {
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", ...flags, entry, ...line.split(" "), flag],
      env: { NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const written = new Blob([stdin]).stream().pipeTo(process.stdin)
      // A command that is refused reads nothing.
      .catch(() => {});
    const { code, stdout, stderr } = await process.output();
    await written;
    const decoder = new TextDecoder();
    const output = decoder.decode(stdout);
    return { code, output, errors: decoder.decode(stderr) };
  };
}

const APPLIED = "deployment-shop-web.yaml";

Deno.test("apply, scale and delete work in an executable of --edit-manifests", async () => {
  await using folder = await Folder.make({ "data.yaml": DATA });
  const run = await bundleWith(["--edit-manifests"], folder);
  deepStrictEqual(await run("apply -f -", WEB_MANIFEST), {
    code: 0,
    output: "deployment.apps/web created\n",
    errors: "",
  });
  ok((await folder.files())[APPLIED]?.includes("replicas: 2"));
  deepStrictEqual(await run("scale deploy web --replicas=5 -n shop"), {
    code: 0,
    output: "deployment.apps/web scaled\n",
    errors: "",
  });
  ok((await folder.files())[APPLIED]?.includes("replicas: 5"));
  deepStrictEqual(await run("delete deploy web -n shop"), {
    code: 0,
    output: 'deployment.apps "web" deleted from shop namespace\n',
    errors: "",
  });
  deepStrictEqual(await folder.files(), { "data.yaml": DATA });
});

Deno.test("apply, scale and delete are refused in words in an executable without --edit-manifests", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const before = await folder.files();
  const run = await bundleWith([], folder);
  for (
    const line of [
      "apply -f -",
      "scale deploy web --replicas=5 -n shop",
      "delete deploy web -n shop",
    ]
  ) {
    const { code, output, errors } = await run(line, DATA);
    strictEqual(code, 64, line);
    match(errors, /^skerry: Cannot write ".*compiled with "--edit-manifests"/);
    strictEqual(output, "", line);
    deepStrictEqual(await folder.files(), before, line);
  }
});
