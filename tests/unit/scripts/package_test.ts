/**
 * What a package is made of that follows from the help.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { COMMAND_NAMES, helpText } from "../../../mod/cli/parse/mod.ts";
import { commandLines } from "../../../scripts/package/command_flags.ts";
import {
  bashCompletion,
  fishCompletion,
  zshCompletion,
} from "../../../scripts/package/completions.ts";
import { manPage } from "../../../scripts/package/man_page.ts";

Deno.test("commandLines() has every command with its help, and every flag that its help names at the start of a line", () => {
  deepStrictEqual(commandLines().map(({ name }) => name), [...COMMAND_NAMES]);
  for (const { name, help, flags } of commandLines()) {
    ok(help !== "", name);
    const named = [
      ...helpText(name).matchAll(/^ +(?:-\w, )?--([\w-]+)/gm),
    ].map(([, flag]) => flag);
    const known = flags.map((flag) => flag.name);
    for (const flag of named) ok(known.includes(flag ?? ""), `${name} ${flag}`);
  }
});

Deno.test("commandLines() knows what stands behind a flag", () => {
  const flags = commandLines().flatMap((line) => line.flags);
  const of = (name: string) => flags.find((flag) => flag.name === name);
  for (
    const [name, value] of [
      ["root-dir", "file"],
      ["config", "file"],
      ["host-view", "directory"],
      ["pod-network", "word"],
      ["manifest-url-header", "word"],
      ["watch", "none"],
      ["all-namespaces", "none"],
      ["namespace", "word"],
      ["tail", "word"],
    ] as const
  ) strictEqual(of(name)?.value, value, name);
  deepStrictEqual(of("unknown-fields")?.choices, ["refuse", "warn"]);
  strictEqual(of("namespace")?.letter, "n");
  strictEqual(of("healthz-port")?.help.startsWith("health endpoint"), true);
  for (const { name, help } of flags) ok(!help.includes("\n"), name);
});

Deno.test("completions know the letters of flags, and which take a value", () => {
  const bash = bashCompletion();
  ok(/flags="-n --namespace /.test(bash), bash);
  ok(bash.includes("-n|--namespace) :; return"));
  const zsh = zshCompletion();
  for (
    const spec of [
      "'*-n[(default \"default\")]:value:'",
      "'*--namespace=[(default \"default\")]:value:'",
      "'*-A[]'",
      "'*--all-namespaces[]'",
    ]
  ) ok(zsh.includes(spec), spec);
  const fish = fishCompletion();
  ok(fish.includes("-l namespace -s n -x -d"));
  ok(fish.includes("-l host-view -r -F -d"));
  ok(fish.includes("-l all-namespaces -s A -d ''"));
});

Deno.test("fishCompletion() closes every quote", () => {
  for (const line of fishCompletion().split("\n")) {
    strictEqual((line.match(/'/g) ?? []).length % 2, 0, line);
  }
});

Deno.test("manPage() begins no line of text with a request, and has every command", () => {
  const page = manPage("1.2.3");
  for (const line of page.split("\n")) {
    if (/^[.']/.test(line)) match(line, /^\.(?:TH|SH|SS|B|I|TP|nf|fi|ad)\b/);
  }
  for (const name of COMMAND_NAMES) {
    ok(page.includes(`.SS "skerry ${name}"`), name);
  }
  ok(page.includes("skerry 1.2.3"));
  strictEqual(/(?<!\\)-/.test(page.replaceAll(/^\..*$/gm, "")), false);
});
