/**
 * Gives the tests of one file a real cluster that starts once and ends with the last of them.
 *
 * @module
 */

import { clusterProgram } from "../../../scripts/cluster_components.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";

/** Registers one test. */
export type RegisterClusterTest = (
  name: string,
  body: (cluster: Cluster) => Promise<void>,
) => void;

/**
 * Registers the tests that `register` names as steps of one `Deno.test`, over one cluster.
 *
 * Where there is no cluster to be had, each is skipped by its name, with the reason. The
 * file lies in `tests/e2e/cluster/`, which comes last: by then a build should have ended.
 */
export async function withCluster(
  name: string,
  register: (test: RegisterClusterTest) => void,
  options: ClusterOptions = {},
): Promise<void> {
  const program = await clusterProgram();
  if ("missing" in program) {
    register((title) =>
      Deno.test.ignore(
        `${name} ... ${title} (skipped: ${program.missing})`,
        () => {},
      )
    );
    return;
  }
  const bodies: [string, (cluster: Cluster) => Promise<void>][] = [];
  register((title, body) => bodies.push([title, body]));
  Deno.test(name, async (t) => {
    await using cluster = await Cluster.start(program.path, options);
    for (const [title, body] of bodies) {
      await t.step(title, () => body(cluster));
    }
  });
}
