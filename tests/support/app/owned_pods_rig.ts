/**
 * The directories in which an agent finds its own pods.
 *
 * @module
 */

import { OwnedPods } from "../../../mod/app/owned_pods.ts";
import { removeTree } from "../../../mod/host/files/mod.ts";
import { PodDirectories } from "../../../mod/volume/mod.ts";
import { TempDir } from "../temp_dir.ts";

/** The directories of an agent, with what each of these pods left there. */
export class OwnedPodsRig implements AsyncDisposable {
  readonly #dir: TempDir;
  /** Of which pods a record was begun, and whether none had been there. */
  readonly begun: unknown[] = [];

  /** @param uids the pods of an agent before */
  static async make(...uids: readonly string[]): Promise<OwnedPodsRig> {
    const rig = new OwnedPodsRig(await TempDir.make());
    await Deno.mkdir(rig.path("root/pods"), { recursive: true });
    await Deno.mkdir(rig.path("logs"));
    for (const uid of uids) await Deno.mkdir(rig.path(`root/pods/${uid}`));
    return rig;
  }

  private constructor(dir: TempDir) {
    this.#dir = dir;
  }

  path(name: string): string {
    return `${this.#dir.path}/${name}`;
  }

  /** What an agent finds that starts now. */
  load(): Promise<OwnedPods> {
    const directories = new PodDirectories({
      rootDir: this.path("root"),
      runDir: this.path("run"),
    }, { files: { removeTree }, collector: { add: () => {} } });
    const begin = async (uid: string, make: () => Promise<boolean>) => {
      this.begun.push([uid, await make()]);
    };
    const podRecords = { begin };
    return OwnedPods.load({ directories, podRecords }, this.path("logs"));
  }

  /** Which pods have a directory, whether it holds a name, in order. */
  async left(name = ""): Promise<string[]> {
    const found: string[] = [];
    for await (const { name: uid } of Deno.readDir(this.path("root/pods"))) {
      if (
        uid.startsWith("0000") &&
        await isThere(this.path(`root/pods/${uid}/${name}`))
      ) found.push(uid);
    }
    return found.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
