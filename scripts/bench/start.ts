/**
 * One pod: from the manifest's rename to its running container.
 *
 * @module
 */

import { ContainerdRig } from "../lib/containerd_rig.ts";
import { Bench, wallMs } from "./bench_runtime.ts";
import { onTop, ratio, spread } from "./figures.ts";
import { type Kind, kindsOf } from "./contestants.ts";

const ROUNDS = 10;

/** Prints the bare calls, skerry, and the difference; then the same of the kubelet. */
export async function measureStart(bench: Bench): Promise<void> {
  for (const kind of kindsOf(bench)) {
    if (kind.name === "skerry") await measure(bench, { kind, bareOn: bench });
    else await measureApart(bench, kind);
  }
}

/** The kubelet ends what it finds in its runtime: bare pods are started in another. */
async function measureApart(bench: Bench, kind: Kind): Promise<void> {
  await using rig = await ContainerdRig.start();
  await using bareOn = await Bench.open(rig, () => {});
  await measure(bench, { kind, bareOn });
}

async function measure(
  bench: Bench,
  { kind, bareOn }: { readonly kind: Kind; readonly bareOn: Bench },
): Promise<void> {
  const bare: number[] = [];
  const took: number[] = [];
  await using agent = await kind.create();
  await agent.start();
  await agent.untilAnswers();
  // Turn by turn, so that a slow moment of the machine hits both.
  for (let round = 0; round < bench.rounds(ROUNDS); round++) {
    const before = wallMs();
    const { containerId } = await bareOn.barePod();
    bare.push(await bareOn.startedAtMs(containerId) - before);
    const renamed = wallMs();
    await agent.apply(`p${round}`);
    const id = await agent.untilRuns(`p${round}`);
    took.push(await bench.startedAtMs(id) - renamed);
  }
  const isSkerry = kind.name === "skerry";
  bench.report(
    `one pod, bare CRI calls${isSkerry ? "" : " beside the kubelet"}`,
    spread(bare, "ms"),
  );
  bench.report(
    `one pod, manifest renamed in → running${isSkerry ? "" : ", kubelet"}`,
    spread(took, "ms"),
    `${ratio(took, bare)}; ${onTop(took, bare)}${
      isSkerry ? ", aim 5; kubelet about 50" : ""
    }`,
  );
  await agent.terminate();
  await bench.clear();
}
