/**
 * How often a directory is listed for the names in it that are not UTF-8.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { createManifestFiles } from "../../../mod/source/file/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";

Deno.test("createManifestFiles() lists a directory once for all names that are not UTF-8 and looked at together", async () => {
  const directory = await Deno.makeTempDir();
  await using _removed = {
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
  const names = Array.from({ length: 16 }, (_, at) => `${at}\ufffd.yaml`);
  let lists = 0;
  let listed = Promise.withResolvers<readonly string[]>();
  const list = (): Promise<readonly string[]> => {
    lists++;
    return listed.promise;
  };
  const clock = new FakeClock();
  const files = createManifestFiles({ clock, log: silentLogger, list });
  const looks = names.map((name) => files.look(`${directory}/${name}`));
  const refused = looks.map((look) => rejects(look, /is not UTF-8/));
  while (lists === 0) await Deno.lstat(directory);
  for (let at = 0; at < 100; at++) await Deno.lstat(directory);
  listed.resolve(names);
  await Promise.all(refused);
  strictEqual(lists, 1);
  // Each later look asks anew.
  listed = Promise.withResolvers();
  listed.resolve([]);
  const { kind } = await files.look(`${directory}/${names[0]}`);
  strictEqual(kind, "missing");
  strictEqual(lists, 2);
});
