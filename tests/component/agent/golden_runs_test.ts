/**
 * What the recorded kubelet started and stopped, in which order and with which
 * grace, against what the agent does with the same manifests.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { untilGone } from "../../support/agent/manifests.ts";

/** A golden file, as far as it is compared here. */
interface Golden {
  readonly manifest: {
    readonly spec: {
      readonly containers: readonly Container[];
      readonly initContainers?: readonly Container[];
    };
  };
  readonly cri: readonly {
    readonly call: string;
    readonly request: {
      readonly container_id?: string;
      readonly timeout?: string | number;
    };
  }[];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
}

/** Ended by the kubelet before its manifest was removed. */
const ENDED = "active-deadline.json";

const directory = new URL("../../testdata/golden/", import.meta.url);

for (const { name } of Deno.readDirSync(directory)) {
  if (!name.endsWith(".json") || name === ENDED) continue;
  // The files are ours and of this shape.
  const golden = JSON.parse(
    Deno.readTextFileSync(new URL(name, directory)),
  ) as Golden;
  if (!golden.cri.some(({ call }) => call === "StopContainer")) continue;
  Deno.test(`Agent starts and stops what the kubelet started and stopped for ${name}`, async () => {
    await using rig = await CoreRig.start({
      flags: ["--host-path-roots=/usr/share,/etc/hostname"],
      prepare: ({ fake }) => prepare(fake, golden),
    });
    const wanted = runsOf(golden.cri.map(recorded));
    await rig.apply("pod", golden.manifest);
    await rig.until(
      () => rig.fake.callsOf("StartContainer").length === wanted.starts.length,
      "all starts",
    );
    await rig.pass(2_000);
    const names = new Map(
      [...rig.fake.containers.values()].map(({ id, name }) => [id, name]),
    );
    await rig.remove("pod");
    await untilGone(rig);
    deepStrictEqual(
      runsOf(rig.fake.calls.map(({ method, request }) => {
        // Only the two methods below are read any further.
        const { containerId = "", timeout = 0n } = request as {
          readonly containerId?: string;
          readonly timeout?: bigint;
        };
        const container = names.get(containerId) ?? "";
        return { method, container, timeout: Number(timeout) };
      })),
      wanted,
    );
    ok(wanted.starts.length > 0);
  });
}

/** Has the images, and lets ordinary init containers do their work. */
function prepare(fake: CoreRig["fake"], { manifest }: Golden): void {
  const { containers, initContainers = [] } = manifest.spec;
  for (const { image } of [...containers, ...initContainers]) {
    fake.addImage({ ref: image });
  }
  for (const { name, restartPolicy } of initContainers) {
    if (restartPolicy === "Always") continue;
    fake.behave(name, { exit: { code: 0, afterMs: 100 } });
  }
}

/** One call for one container. */
interface Run {
  readonly method: string;
  readonly container: string;
  /** In seconds. */
  readonly timeout: number;
}

function recorded({ call, request }: Golden["cri"][number]): Run {
  const { container_id = "", timeout = 0 } = request;
  const container = container_id.replace(/^<CONTAINER (.*)>$/, "$1");
  return { method: call, container, timeout: Number(timeout) };
}

/** Starts in their order; stops of one moment have none. */
function runsOf(runs: readonly Run[]): {
  readonly starts: readonly string[];
  readonly stops: readonly string[];
} {
  const only = (method: string) => runs.filter((run) => run.method === method);
  return {
    starts: only("StartContainer").map(({ container }) => container),
    stops: only("StopContainer")
      .map(({ container, timeout }) => `${container} ${timeout} s`).sort(),
  };
}
