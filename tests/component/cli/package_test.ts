/**
 * The Debian package, as dpkg, shells, man and systemd take it.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { makePackage } from "../../../scripts/package.ts";
import {
  bashCompletion,
  fishCompletion,
  zshCompletion,
} from "../../../scripts/package/completions.ts";
import { postrm } from "../../../scripts/package/maintainer_scripts.ts";
import { manPage } from "../../../scripts/package/man_page.ts";
import { TempDir } from "../../support/temp_dir.ts";

async function run(command: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    env: { LC_ALL: "C.UTF-8", MANWIDTH: "200" },
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

async function has(command: string): Promise<boolean> {
  try {
    return (await run(command, "--version")).code === 0;
  } catch {
    return false;
  }
}

const ARGS = ["--pod-network=10.88.0.0/16"];

Deno.test({
  name:
    "makePackage() packs what the unit starts, and gives the same bytes each time",
  ignore: !await has("dpkg-deb"),
  fn: async () => {
    await using temp = await TempDir.make();
    const pack = (output: string) =>
      makePackage({
        output: `${temp.path}/${output}`,
        binary: undefined,
        revision: "1",
        args: ARGS,
        compression: "none",
      });
    const [first, second] = [await pack("a"), await pack("b")];
    match(first, /\/a\/skerry_[\d.]+-1_(?:amd64|arm64)\.deb$/);
    strictEqual((await run("cmp", first, second)).out, "");
    const root = `${temp.path}/root`;
    strictEqual((await run("dpkg-deb", "-x", first, root)).code, 0);
    const unit = await Deno.readTextFile(
      `${root}/usr/lib/systemd/system/skerry.service`,
    );
    match(
      unit,
      /^ExecStart=\/usr\/bin\/skerry run --config=\/etc\/skerry\/config\.yaml --pod-network=10\.88\.0\.0\/16 --notify-socket=\/run\/systemd\/notify$/m,
    );
    const program = await Deno.readTextFile(`${root}/usr/bin/skerry`);
    ok(!/--allow-(?:run|ffi|env|all)|--allow-\w+(?: |$)/m.test(program));
    match(program, /,\/run\/systemd\/notify[, ]/);
    const { out } = await run("dpkg-deb", "-c", first);
    deepStrictEqual(
      out.split("\n").filter((line) =>
        line !== "" &&
        !/^(?:d|-)rw(?:x|-)r-(?:x|-)r-(?:x|-) root\/root /.test(line)
      ),
      [],
      "every file is root's, and nobody else writes it",
    );
    const info = await run("dpkg-deb", "-I", first, "conffiles");
    strictEqual(info.out, "/etc/skerry/config.yaml\n");
    // The settings that come along are taken by the agent that comes along.
    const version = await run(
      Deno.execPath(),
      "run",
      "--quiet",
      "--no-config",
      "-A",
      `${root}/usr/lib/skerry/app/main.js`,
      "install",
      `--config=${root}/etc/skerry/config.yaml`,
    );
    strictEqual(version.code, 0, version.err);
    match(version.out, /^TimeoutStopSec=60$/m);
  },
});

Deno.test("makePackage() refuses settings of its own kind, and an executable that is none", async () => {
  await using temp = await TempDir.make();
  const options = { output: temp.path, revision: "1", binary: undefined };
  const file = `${temp.path}/c.yaml`;
  await Deno.writeTextFile(
    file,
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n",
  );
  await rejects(
    () => makePackage({ ...options, args: [`--config=${file}`] }),
    /the package has its own/,
  );
  await rejects(
    () => makePackage({ ...options, args: ["--root-dri=/x"] }),
    /did you mean --root-dir/,
  );
  await rejects(
    () => makePackage({ ...options, args: ARGS, binary: Deno.execPath() }),
    /Cannot read the executable/,
  );
});

/** What bash offers behind a line. */
async function completed(line: readonly string[]): Promise<string[]> {
  await using temp = await TempDir.make();
  const file = `${temp.path}/completion`;
  await Deno.writeTextFile(file, bashCompletion());
  const words = line.map((word) => `'${word}'`).join(" ");
  const script =
    `skerry() { printf 'web\\njob\\n'; }; . ${file}; COMP_WORDS=(${words}); COMP_CWORD=${
      line.length - 1
    }; _skerry; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { out, err } = await run("bash", "-c", script);
  strictEqual(err, "");
  return out.split("\n").filter((word) => word !== "");
}

for (
  const [line, wanted] of [
    [["skerry", "de"], ["describe", "delete"]],
    [["skerry", "get", "e"], ["events"]],
    [["skerry", "explain", ""], ["web", "job"]],
    [["skerry", "logs", "--ti"], ["--timestamps"]],
    [["skerry", "run", "--unknown-fields", ""], ["refuse", "warn"]],
    [["skerry", "run", "--host-view", "/et"], ["/etc"]],
    [["skerry", "install", "--pro"], ["--program"]],
    [["skerry", "validate", "/etc/passw"], ["/etc/passwd"]],
    [["skerry", "run", "--node-ip", ""], []],
  ] as const
) {
  Deno.test(`bashCompletion() completes "${line.join(" ")}"`, async () => {
    const found = await completed(line);
    // Other files may begin alike.
    deepStrictEqual(
      found.filter((word) => !/^\/etc\/passwd./.test(word)),
      wanted,
    );
  });
}

for (
  const [shell, text] of [
    ["zsh", zshCompletion()],
    ["fish", fishCompletion()],
  ] as const
) {
  Deno.test({
    name: `${shell} reads its completion`,
    ignore: !await has(shell),
    fn: async () => {
      await using temp = await TempDir.make();
      const file = `${temp.path}/completion`;
      await Deno.writeTextFile(file, text);
      const { code, err } = await run(shell, "-n", file);
      strictEqual(code, 0, err);
      strictEqual(err, "");
    },
  });
}

Deno.test({
  name: "fish offers the flags of a command",
  ignore: !await has("fish"),
  fn: async () => {
    await using temp = await TempDir.make();
    const file = `${temp.path}/skerry.fish`;
    await Deno.writeTextFile(file, fishCompletion());
    const { out } = await run(
      "fish",
      "--no-config",
      "-c",
      `source ${file}; complete -C "skerry logs --ti"`,
    );
    match(out, /^--timestamps\t/);
  },
});

Deno.test({
  name: "man shows the manual page without a complaint",
  ignore: !await has("man") || !await has("groff"),
  fn: async () => {
    await using temp = await TempDir.make();
    const file = `${temp.path}/skerry.1`;
    await Deno.writeTextFile(file, manPage("1.2.3"));
    const { code, out, err } = await run("man", "--warnings", "-l", file);
    strictEqual(code, 0, err);
    strictEqual(err, "");
    match(out.replaceAll(/.[\b]/g, ""), /--pod-manifest-path PATH +a manifest/);
  },
});

/** Purges the package from directories of a test; what it said. */
async function purge(directory: string, root = "it's root"): Promise<string> {
  const script = `${directory}/postrm`;
  const text = postrm({
    rootDir: `${directory}/${root}`,
    runDir: `${directory}/run`,
    configDir: `${directory}/etc`,
  });
  // None of the tools that would change this machine.
  const harmless = text.replaceAll("/run/systemd/system", "/nowhere")
    .replaceAll("deb-systemd-helper", "no-such-helper");
  await Deno.writeTextFile(script, harmless);
  const { code, err } = await run("sh", script, "purge");
  strictEqual(code, 0, err);
  return err;
}

async function rootWith(...paths: readonly string[]): Promise<TempDir> {
  const temp = await TempDir.make();
  for (const path of ["run/x", ...paths.map((each) => `it's root/${each}`)]) {
    await Deno.mkdir(`${temp.path}/${path}`, { recursive: true });
  }
  return temp;
}

async function left(directory: string): Promise<string[]> {
  const { out } = await run("find", directory, "-mindepth", "1", "-type", "d");
  return out.split("\n").filter((line) => line !== "")
    .map((line) => line.slice(directory.length + 1)).sort();
}

Deno.test("postrm() removes the agent's records when nothing runs", async () => {
  await using temp = await rootWith(
    "pods",
    "checkpoints/url",
    "claims/default",
    "image_manager/pulled",
  );
  await Deno.writeTextFile(`${temp.path}/it's root/skerry.lock`, "1\n");
  strictEqual(await purge(temp.path), "");
  deepStrictEqual(await left(temp.path), []);
});

Deno.test("postrm() leaves everything where pods may run", async () => {
  await using temp = await rootWith("pods/u1/volumes", "checkpoints");
  match(await purge(temp.path), /stay, since pods may still run there/);
  deepStrictEqual(await left(temp.path), [
    "it's root",
    "it's root/checkpoints",
    "it's root/pods",
    "it's root/pods/u1",
    "it's root/pods/u1/volumes",
    "run",
    "run/x",
  ]);
});

Deno.test("postrm() runs nothing that is in the name of a directory", async () => {
  await using temp = await rootWith();
  const root = 'a"$(:)`:`%s';
  await Deno.mkdir(`${temp.path}/${root}/claims/default/data/db`, {
    recursive: true,
  });
  const said = await purge(temp.path, root);
  ok(said.startsWith(`skerry: ${temp.path}/${root} stays, since`), said);
});

Deno.test("postrm() leaves claims, and follows no link", async () => {
  await using temp = await rootWith("pods", "claims/default/data/db");
  await Deno.mkdir(`${temp.path}/elsewhere/kept`, { recursive: true });
  await Deno.symlink(
    `${temp.path}/elsewhere`,
    `${temp.path}/it's root/checkpoints`,
  );
  match(await purge(temp.path), /stays, since claims or files of others/);
  deepStrictEqual(await left(temp.path), [
    "elsewhere",
    "elsewhere/kept",
    "it's root",
    "it's root/claims",
    "it's root/claims/default",
    "it's root/claims/default/data",
    "it's root/claims/default/data/db",
  ]);
});

for (const script of ["compile", "package"]) {
  Deno.test(`deno task ${script} --help says what it makes and which flags it has`, async () => {
    const path = new URL(`../../../scripts/${script}.ts`, import.meta.url);
    const args = ["run", "-A", "--quiet", path.pathname, "--help"];
    const { code, out } = await run(Deno.execPath(), ...args);
    strictEqual(code, 0);
    match(out, new RegExp(`^Usage: deno task ${script} .*--output`, "m"));
  });
}
