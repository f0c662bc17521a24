/**
 * How often a directory is listed for the names in it that are not UTF-8, and how many calls
 * hang at most.
 *
 * @module
 */

import { ok, rejects, strictEqual } from "node:assert/strict";
import { createManifestFiles } from "../../../mod/source/file/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { HungStat } from "../../support/hung_stat.ts";
import { until } from "../../support/until.ts";
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
  using missed = countLstats();
  const looks = names.map((name) => files.look(`${directory}/${name}`));
  const refused = looks.map((look) => rejects(look, /is not UTF-8/));
  await until(() => missed.answered === names.length, "a look for each name");
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

Deno.test("createManifestFiles() leaves threads for others when many links lead to what never answers", async () => {
  const directory = await Deno.makeTempDir();
  const links = Array.from(
    { length: 20 },
    (_, at) => `${directory}/${at}.yaml`,
  );
  for (const link of links) await Deno.symlink("elsewhere", link);
  const hung = new HungStat(...links);
  const stop = new AbortController();
  const clock = new FakeClock();
  const files = createManifestFiles({ clock, log: silentLogger });
  let hints = 0;
  const watching = (async () => {
    for await (const _hint of files.watch(directory, stop.signal)) hints++;
  })();
  await using _restored = {
    async [Symbol.asyncDispose]() {
      hung[Symbol.dispose]();
      stop.abort();
      await watching;
      // What hung goes on to the other links.
      for (let at = 0; at < 500; at++) await Deno.lstat(directory);
      await Deno.remove(directory, { recursive: true });
    },
  };
  for (let look = 0; look < 5 * 180; look++) {
    const looks = links.map((link) => files.look(link).catch(() => {}));
    for (let second = 0; second < 20; second += 4) {
      await clock.advance(4000);
      // The watch looks at the real disk.
      for (let at = 0; at < 3; at++) await Deno.lstat(directory);
    }
    await Promise.all(looks);
  }
  ok(hints > 0);
  // Deno (2.9.6) has 32 threads for files.
  ok(hung.asked <= 30, `${hung.asked} calls hang`);
});

/** Counts the answers of the system to `lstat`. */
function countLstats(): Disposable & { readonly answered: number } {
  const { lstat } = Deno;
  let answered = 0;
  Deno.lstat = (path) => lstat(path).finally(() => answered++);
  return {
    get answered() {
      return answered;
    },
    [Symbol.dispose]: () => {
      Deno.lstat = lstat;
    },
  };
}
