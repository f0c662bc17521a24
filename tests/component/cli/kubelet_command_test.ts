/**
 * The agent by the kubelet's name.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import {
  argumentsOf,
  listFiles,
  main,
  systemIo,
} from "../../../mod/cli/mod.ts";
import { parseCompileArguments } from "../../../scripts/compile.ts";
import { TempDir } from "../../support/temp_dir.ts";

async function outcome(...args: readonly string[]) {
  const shown = { out: "", err: "" };
  const code = await main(args, {
    ...systemIo(),
    out: (data) => {
      shown.out += data;
      return Promise.resolve();
    },
    err: (line) => {
      shown.err += `${line}\n`;
      return Promise.resolve();
    },
  });
  return { code, ...shown };
}

Deno.test("skerry kubelet --version tells tools which kubelet to take it for", async () => {
  const { code, out } = await outcome("kubelet", "--version");
  strictEqual(code, 0);
  // As kubeadm's preflight wants it.
  match(
    out,
    /^\s*Kubernetes v((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-\w.+]*)?)\s*$/,
  );
});

Deno.test("skerry kubelet refuses a flag that the kubelet does not have", async () => {
  const { code, err } = await outcome("kubelet", "--kubeconfg=/x");
  strictEqual(code, 64);
  match(err, /did you mean --kubeconfig\nRun "skerry kubelet --help" for help/);
});

Deno.test("skerry kubelet --help names the flags in lines that fit", async () => {
  const { out } = await outcome("kubelet", "--help");
  match(out, / --register-with-taints /);
  strictEqual(out.split("\n").every((line) => line.length <= 92), true);
});

for (
  const [program, args] of [
    ["kubelet", ["kubelet", "--v=4"]],
    ["/usr/bin/kubelet", ["kubelet", "--v=4"]],
    ["/usr/bin/skerry", ["--v=4"]],
    ["/opt/kubelet/skerry", ["--v=4"]],
    ["", ["--v=4"]],
  ] as const
) {
  Deno.test(`argumentsOf() of a program called "${program}"`, () => {
    deepStrictEqual(argumentsOf(program, ["--v=4"]), args);
  });
}

Deno.test("listFiles() gives the files below a directory in the order of their paths", async () => {
  await using directory = await TempDir.make();
  const at = (name: string): string => `${directory.path}/${name}`;
  for (const name of ["b", "a"]) await Deno.mkdir(at(name));
  for (const name of ["b/2", "z", "a/1", "b/1", "c"]) {
    await Deno.writeTextFile(at(name), "");
  }
  deepStrictEqual(
    await listFiles(directory.path),
    ["a/1", "b/1", "b/2", "c", "z"].map(at),
  );
  await rejects(listFiles(at("none")), Deno.errors.NotFound);
});

Deno.test("deno task compile takes the flags of the kubelet behind its name", async () => {
  const parsed = await parseCompileArguments(
    ["--output", "kubelet", "kubelet", "--pod-infra-container-image=x"],
    "/here",
  );
  strictEqual(parsed.kind === "ok" && parsed.options.output, "/here/kubelet");
  const refused = await parseCompileArguments(["kubelet", "--x"], "/here");
  deepStrictEqual(refused.kind === "refused" && refused.faults, [
    "Cannot use --x: there is no such flag",
  ]);
});
