/**
 * Many nodes of a cluster in a process of their own. Prints "empty", starts them when it reads
 * a line, prints "started", and is them until its input closes.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- tells its parent how far it is

import { HollowNode } from "../../tests/support/cluster/hollow_node.ts";

const [directory = "", count = "0"] = Deno.args;
console.log("empty");
const input = Deno.stdin.readable[Symbol.asyncIterator]();
await input.next();
await using fleet = new AsyncDisposableStack();
for (let at = 0; at < Number(count); at++) {
  const name = `hollow-${at}`;
  fleet.use(
    await HollowNode.start({
      name,
      kubeconfig: `${directory}/${name}.kubeconfig`,
      directory: `${directory}/${name}`,
    }),
  );
}
console.log("started");
while (!(await input.next()).done);
