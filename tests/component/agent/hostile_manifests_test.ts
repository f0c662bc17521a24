/**
 * Every hostile manifest beside a canary pod, which must not notice any of it.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { IMAGE } from "../../support/pods.ts";
import type { HostileManifest } from "../../support/hostile/row.ts";
import { hostileManifests } from "../../support/hostile/hostile_manifests.ts";
import { podManifest } from "../../../scripts/lib/pod_manifest.ts";

const ROWS = hostileManifests();

/** What may be taken while all of them are read; each may have 10 MiB. */
const MEMORY_BYTES = 400_000_000;

/** What a report shows at most, so that a file does not end up in the log. */
const REPORT_LENGTH = 6_000;

Deno.test("The corpus has two hundred hostile manifests and more, no two alike", () => {
  ok(ROWS.length >= 200, String(ROWS.length));
  strictEqual(new Set(ROWS.map(({ title }) => title)).size, ROWS.length);
  strictEqual(
    new Set(ROWS.map(({ content }) => content.toString())).size,
    ROWS.length,
  );
});

Deno.test("An agent refuses every hostile manifest by file, line and field, and its canary runs on (M01 to M41)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply(
    "a-canary",
    podManifest("canary", { containers: [{ name: "main", image: IMAGE }] }),
  );
  await rig.until(() => rig.fake.running("main").length === 1, "the canary");
  const canary = rig.only("main").id;
  const calls = rig.fake.calls.length;
  const before = Deno.memoryUsage().rss;

  for (const { title, content } of ROWS) await put(rig, title, content);
  await rig.until(
    () => refusals(rig).size === ROWS.length,
    "a word on each of them",
  );
  const told = refusals(rig);
  const wrong = ROWS.flatMap((row) => faultsOf(row, told.get(row.title) ?? []));
  deepStrictEqual(wrong, []);
  ok(Deno.memoryUsage().rss - before < MEMORY_BYTES);
  match(
    rig.metrics.render(),
    /skerry_manifest_invalid\{file=".*\/elf\.yaml"\} 1/,
  );

  for (const { title } of ROWS) await Deno.remove(pathOf(rig, title));
  await rig.until(
    () => !rig.metrics.render().includes("skerry_manifest_invalid{"),
    "the end of all reports",
  );
  deepStrictEqual(rig.mutations(calls), []);
  strictEqual(rig.only("main").id, canary);
  strictEqual(rig.pods().length, 1);
});

function pathOf(rig: CoreRig, title: string): string {
  return `${rig.config.source.manifestPath}/${title}.yaml`;
}

async function put(
  rig: CoreRig,
  title: string,
  content: string | Uint8Array,
): Promise<void> {
  const aside = `${rig.directory}/aside`;
  if (typeof content === "string") await Deno.writeTextFile(aside, content);
  else await Deno.writeFile(aside, content);
  await Deno.rename(aside, pathOf(rig, title));
}

/** What the log says of each refused manifest, by its title. */
function refusals(rig: CoreRig): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, string[]>();
  for (const line of rig.logged("manifest_refused")) {
    const { file, reason } = JSON.parse(line);
    const title = /([^/]+)\.yaml$/.exec(file)?.[1] ?? file;
    reasons.set(title, [...reasons.get(title) ?? [], reason]);
  }
  return reasons;
}

/** What is wrong with the report on one manifest. */
function faultsOf(
  row: HostileManifest,
  reasons: readonly string[],
): readonly string[] {
  const [reason = ""] = reasons;
  const faults: string[] = [];
  if (reasons.length !== 1) faults.push(`told ${reasons.length} times`);
  if (!row.names.test(reason)) faults.push(`does not name ${row.names}`);
  if (row.place === "line" && !/\bline \d+: ./.test(reason)) {
    faults.push("names no line");
  }
  if (row.hides !== undefined && reason.includes(row.hides)) {
    faults.push("shows what it must not");
  }
  if (reason.length > REPORT_LENGTH) faults.push("is too long");
  return faults.map((fault) => `${row.title} ${fault}: ${reason}`);
}
