/**
 * What a start loads before it is known whether there is a cluster.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";

/** Only a node of a cluster speaks to an API server. */
const OF_CLUSTERS = [
  "mod/app/cluster/",
  "mod/kube/certificates/",
  "mod/kube/objects/",
  "mod/kube/transport/",
  "mod/node/",
  "mod/cluster/",
  "mod/source/api/",
];

Deno.test("runAgent() loads what speaks to a cluster only for a node that joins one", async () => {
  const root = new URL("../../../", import.meta.url);
  const entry = new URL("mod/app/mod.ts", root).href;
  const loaded = await loadedAtOnce(entry);
  ok(loaded.has(new URL("mod/app/core.ts", root).href));
  const ofClusters = [...loaded].filter((module) =>
    OF_CLUSTERS.some((room) => module.startsWith(new URL(room, root).href))
  );
  deepStrictEqual(ofClusters, []);
});

interface GraphModule {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly isDynamic?: boolean;
  }[];
}

/** The modules that come with one, but for what is imported at run time. */
async function loadedAtOnce(entry: string): Promise<ReadonlySet<string>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
  }).output();
  const graph: { readonly modules: readonly GraphModule[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const modules = new Map(
    graph.modules.map((module) => [module.specifier, module]),
  );
  const loaded = new Set([entry]);
  // What is added while it is walked is walked, too.
  for (const at of loaded) {
    for (const { code, isDynamic } of modules.get(at)?.dependencies ?? []) {
      if (code?.specifier !== undefined && isDynamic !== true) {
        loaded.add(code.specifier);
      }
    }
  }
  return loaded;
}
