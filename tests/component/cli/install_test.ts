/**
 * The unit that `skerry install` prints, as systemd's own tools judge it.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TempDir } from "../../support/temp_dir.ts";

const LAUNCHER = fileURLToPath(
  new URL("../../../scripts/skerry.ts", import.meta.url),
);

/** Where systemd looks for its tools' offline checks; not every machine has them. */
async function hasAnalyze(): Promise<boolean> {
  try {
    return (await run("systemd-analyze", "--version")).code === 0;
  } catch {
    return false;
  }
}

async function run(command: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

async function install(...args: readonly string[]) {
  return await run(
    Deno.execPath(),
    "run",
    "--quiet",
    "-A",
    LAUNCHER,
    "install",
    ...args,
  );
}

Deno.test(
  "skerry install prints a unit in which systemd finds no fault",
  { ignore: !await hasAnalyze() },
  async () => {
    await using temp = await TempDir.make();
    const file = `${temp.path}/skerry.service`;
    for (
      const flags of [
        ["--notify-socket=/run/systemd/notify"],
        ["--host-view=/run/skerry/host", "--root-dir=/data/a %b $c"],
      ]
    ) {
      const { code, out, err } = await install("--program=/bin/true", ...flags);
      strictEqual(code, 0, err);
      // Manual pages are looked up by what is installed.
      await Deno.writeTextFile(file, out.replace(/^Documentation=.*\n/m, ""));
      const verified = await run(
        "systemd-analyze",
        "verify",
        "--man=no",
        file,
      );
      const complaints = verified.err.split("\n").filter((line) =>
        line.includes("skerry.service")
      );
      deepStrictEqual(complaints, []);
      strictEqual(verified.code, 0, verified.err);
      const rated = await run(
        "systemd-analyze",
        "security",
        "--offline=yes",
        // Tenths; a unit without any protection has 96.
        "--threshold=35",
        "--no-pager",
        file,
      );
      strictEqual(rated.code, 0, rated.out);
    }
  },
);

Deno.test("skerry install refuses flags that run would refuse, and a program without path", async () => {
  for (
    const [flag, fault] of [
      ["--root-dri=/x", /did you mean --root-dir/],
      ["--program=skerry", /Cannot use --program: found "skerry"/],
      ["--program", /Cannot use --program: found no value/],
      ["--root-dir=/a\nb", /Cannot write a unit with .*control character/],
    ] as const
  ) {
    const { code, out, err } = await install(flag);
    strictEqual(code, 64);
    strictEqual(out, "");
    match(err, fault);
    ok(err.includes('Run "skerry install --help" for help.'));
  }
});

Deno.test("skerry install reads the configuration file, and starts with it", async () => {
  await using temp = await TempDir.make();
  const file = `${temp.path}/config.yaml`;
  await Deno.writeTextFile(
    file,
    "apiVersion: skerry.dev/v1alpha1\nkind: SkerryConfiguration\nrootDir: /data/sk\n",
  );
  const { code, out, err } = await install("--config", file);
  strictEqual(code, 0, err);
  match(out, /^ReadWritePaths=\/data\/sk$/m);
  ok(out.includes(`ExecStart=/usr/bin/skerry run --config ${file}`), out);
});
