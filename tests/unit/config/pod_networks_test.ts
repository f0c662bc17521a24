/**
 * What is said of the networks of pods.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo } from "../../support/config/config_io.ts";

Deno.test("parseRunArguments() warns of networks for which no permission can be written", async () => {
  const parsed = await parseRunArguments(
    ["--pod-network=10.1.0.0/16,fd00::/64"],
    fakeIo(),
  );
  ok(parsed.kind === "ok");
  strictEqual(parsed.warnings.length, 1);
  ok(parsed.warnings[0]?.includes("fd00::/64"));
});

Deno.test("parseRunArguments() warns of an agent that can ask no pod over the network", async () => {
  const lone = await parseRunArguments([], fakeIo());
  ok(lone.kind === "ok");
  match(lone.warnings.join(), /--pod-network: none is given.*cannot ask pods/);
  const given = await parseRunArguments(
    ["--pod-network=10.1.0.0/16"],
    fakeIo(),
  );
  deepStrictEqual(given.kind === "ok" && given.warnings, []);
});
