/**
 * What is loaded for every command.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly isDynamic?: boolean;
    readonly code?: { readonly specifier?: string };
  }[];
}

const MAIN = new URL("../../../main.ts", import.meta.url).href;

/** The files that are loaded before a command is known. */
async function loadedFiles(): Promise<ReadonlySet<string>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", MAIN],
  }).output();
  const graph: { readonly modules: readonly Module[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const modules = new Map(graph.modules.map((each) => [each.specifier, each]));
  const loaded = new Set([MAIN]);
  for (const file of loaded) {
    for (const { isDynamic, code } of modules.get(file)?.dependencies ?? []) {
      const specifier = code?.specifier;
      if (isDynamic !== true && specifier !== undefined) loaded.add(specifier);
    }
  }
  return loaded;
}

Deno.test("main.ts loads nothing of the agent before a command needs it", async () => {
  const loaded = [...await loadedFiles()];
  ok(loaded.some((each) => each.endsWith("/mod/cli/main.ts")));
  const ofAgent = loaded.filter((each) => /\/mod\/(?:app|cri)\//.test(each));
  deepStrictEqual(ofAgent, []);
});
