/** Commands that change one folder at the same time. */

import { match, ok, strictEqual } from "node:assert/strict";
import {
  ManifestFolderRig as Folder,
  WEB_MANIFEST,
} from "../../support/cli/manifest_folder_rig.ts";
import { type CommandOutcome, run, TestIo } from "../../support/cli/test_io.ts";

/** Runs a command whose clock goes on by so much whenever nothing else happens. */
async function runOn(
  folder: Folder,
  line: string,
  stepMs: number,
): Promise<CommandOutcome> {
  const io = new TestIo();
  let isOver = false;
  const running = run(`${line} --pod-manifest-path=${folder.path}`, io)
    .finally(() => isOver = true);
  while (!isOver) await io.clock.advance(stepMs);
  return await running;
}

Deno.test("main() loses none of two changes of one manifest at the same time", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const outcomes = await Promise.all([
    "scale deploy web --replicas=5 -n shop",
    "set image deploy/web server=nginx:1.27 -n shop",
    "rollout pause deploy web -n shop",
    // Slower than any disk.
  ].map((line) => runOn(folder, line, 1)));
  for (const { code, errors } of outcomes) strictEqual(errors, "", `${code}`);
  const text = (await folder.files())["web.yaml"] ?? "";
  for (const words of ["replicas: 5 ", "nginx:1.27", "paused: true", "# the"]) {
    ok(text.includes(words), `${words} is not in ${text}`);
  }
});

Deno.test("main() says so when another command is at work for too long, and changes nothing", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const before = await folder.files();
  using other = await Deno.open(folder.path);
  await other.lock(true);
  for (
    const line of [
      "scale deploy web --replicas=5 -n shop",
      "delete deploy web -n shop",
      `apply -f ${await folder.beside("a.yaml", WEB_MANIFEST)}`,
    ]
  ) {
    const { code, errors } = await runOn(folder, line, 1000);
    strictEqual(code, 1, line);
    match(errors, /another command has been at work on it for 30 seconds/);
  }
  const dry = await folder.run("delete deploy web -n shop --dry-run=client");
  strictEqual(dry.errors, "");
  strictEqual(JSON.stringify(await folder.files()), JSON.stringify(before));
});

Deno.test("main() changes a manifest alone while no other command does", async () => {
  await using folder = await Folder.make({ "web.yaml": WEB_MANIFEST });
  const path = `${folder.path}/web.yaml`;
  const io = new TestIo();
  const line = "scale deploy web --replicas=5 -n shop";
  const { errors } = await run(`${line} --pod-manifest-path=${path}`, io);
  strictEqual(errors, "");
  ok((await Deno.readTextFile(path)).includes("replicas: 5"));
});
