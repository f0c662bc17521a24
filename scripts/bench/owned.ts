/**
 * What Deployments cost an idle agent, beside the same pods without them.
 *
 * @module
 */

import { pause } from "../lib/wait_until.ts";
import { webDeployment } from "../../tests/support/e2e/web_deployment.ts";
import { sleeper } from "./bench_runtime.ts";
import { type Report, spread } from "./figures.ts";
import { type ManifestOf, SETTLE_MS, withPods } from "./pods_on_fake.ts";

const ROUNDS = 5;

const COUNT = 10;

const CPU_S = 15;

const KINDS: Readonly<Record<string, ManifestOf>> = {
  "pods": sleeper,
  "Deployments of one pod": (name) => webDeployment("one", 1, { name }),
};

/** Prints memory and processor time with ten of each; needs no runtime. */
export async function measureOwned(report: Report): Promise<void> {
  const resident = new Map<string, number[]>();
  const cpu = new Map<string, number[]>();
  // Deno examines a bundle that it has never seen, for 35 MB; an executable was examined.
  await withPods((pods) => pods.become(0));
  for (let round = 0; round < ROUNDS; round++) {
    // Turn by turn, so that a slow moment of the machine hits both.
    for (const [kind, manifestOf] of Object.entries(KINDS)) {
      await withPods(async (pods) => {
        await pods.become(COUNT);
        await pause(SETTLE_MS);
        const before = await pods.cpuTicks();
        await pause(CPU_S * 1000);
        // A tick is 10 ms on every Linux that Deno runs on.
        note(cpu, kind, (await pods.cpuTicks() - before) / CPU_S);
        note(resident, kind, await pods.residentMb());
      }, manifestOf);
    }
  }
  for (const kind of Object.keys(KINDS)) {
    const isOwned = kind !== "pods";
    const what = `idle with ${COUNT} ${kind}`;
    report(
      `${what}: resident`,
      spread(resident.get(kind) ?? [], "MB"),
      isOwned ? "aim 3 MB above the pods" : "",
    );
    report(
      `${what}: CPU`,
      spread(cpu.get(kind) ?? [], "%", 1),
      isOwned ? "aim that of the pods" : "",
    );
  }
}

function note(seen: Map<string, number[]>, kind: string, value: number): void {
  seen.set(kind, [...seen.get(kind) ?? [], value]);
}
