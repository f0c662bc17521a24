/**
 * How often the disk is written to for a pod's start, restart and end: flash wears out (I5).
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

const UID = "0badc0de-0000-4000-8000-000000000001";

/** Counts the files that are put in place below a directory, and how often one is synced. */
class Writes implements Disposable {
  readonly #rename = Deno.rename;
  readonly #open = Deno.open;
  #files = 0;
  #synced = 0;
  /** Calls that the disk has not answered yet. */
  #pending = 0;

  constructor(below: string) {
    const counted = async <T>(path: unknown, work: () => Promise<T>) => {
      if (!`${path}`.startsWith(below)) return await work();
      this.#pending++;
      try {
        return await work();
      } finally {
        this.#pending--;
      }
    };
    Deno.rename = async (from, to) => {
      await counted(to, () => this.#rename(from, to));
      if (`${to}`.startsWith(below)) this.#files++;
    };
    Deno.open = async (path, options) => {
      const file = await counted(path, () => this.#open(path, options));
      const { sync } = file;
      file.sync = async () => {
        await counted(path, () => sync.call(file));
        if (`${path}`.startsWith(below)) this.#synced++;
      };
      return file;
    };
  }

  /** Those since the last call; to be asked when nothing is under way. */
  take(): { readonly files: number; readonly synced: number } {
    strictEqual(this.#pending, 0);
    const taken = { files: this.#files, synced: this.#synced };
    this.#files = this.#synced = 0;
    return taken;
  }

  [Symbol.dispose](): void {
    Deno.rename = this.#rename;
    Deno.open = this.#open;
  }
}

Deno.test("Agent writes to the disk for a pod's start, restart and end, and no oftener than that (I5)", async () => {
  await using rig = await CoreRig.start();
  using writes = new Writes(`${rig.config.paths.rootDir}/pods/`);
  const resources = { requests: { cpu: "10m" } };
  const count = () => rig.status("web")?.containerStatuses?.[0]?.restartCount;
  const base = web({ uid: UID });
  const spec = {
    terminationGracePeriodSeconds: 5,
    restartPolicy: "OnFailure",
    containers: [{
      name: WEB,
      image: "localhost/busybox:1.35",
      command: ["sleep", "1d"],
      resources,
      lifecycle: { postStart: { exec: { command: ["true"] } } },
      livenessProbe: {
        exec: { command: ["alive"] },
        periodSeconds: 1,
        failureThreshold: 1,
      },
    }],
  };
  await rig.apply("web", { ...base, spec });
  await untilRunning(rig);
  await rig.pass(5_000);
  const start = writes.take();
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(() => count() === 1, "its restart");
  await rig.until(() => rig.fake.running(WEB).length === 1, "its restart");
  await rig.pass(5_000);
  const restart = writes.take();
  rig.fake.settings.exec = (_container, [command]) =>
    command === "alive" ? { exitCode: 1 } : {};
  await rig.until(() => rig.fake.callsOf("StopContainer").length > 0, "a stop");
  rig.fake.settings.exec = () => ({});
  await rig.until(() => count() === 2, "its stop");
  await rig.until(() => rig.fake.running(WEB).length === 1, "its restart");
  await rig.pass(5_000);
  const stop = writes.take();
  rig.fake.exitContainer(rig.only(WEB).id, 0);
  await untilPhase(rig, "Succeeded");
  await rig.pass(5_000);
  const end = writes.take();
  deepStrictEqual({ start, restart, stop, end }, {
    // The hook is due, the sandbox was made, the container started, the hook has run;
    // and when the pod began.
    start: { files: 5, synced: 0 },
    // The hook twice, what the new container was given, the count.
    restart: { files: 4, synced: 0 },
    // As before, and why it was stopped, which lasts; so does the hook beside it.
    stop: { files: 5, synced: 4 },
    // How it ended, when it ended and when all of it had: file and directory each.
    end: { files: 2, synced: 4 },
  });
});
