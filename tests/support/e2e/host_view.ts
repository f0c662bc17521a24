/**
 * The machine's cgroups under a directory of their own, as a service manager shows
 * them to an agent.
 *
 * @module
 */

import { run } from "../../../scripts/lib/runtime_tools.ts";
import { mustRun } from "./memory_disk.ts";

/** A host view; `await using` takes it away. */
export class HostView implements AsyncDisposable {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Mounts `/sys/fs/cgroup` at `cgroup` in a new directory. */
  static async make(): Promise<HostView> {
    const view = new HostView(
      await Deno.makeTempDir({ prefix: "skerry-view-" }),
    );
    const at = view.#cgroup;
    await Deno.mkdir(at);
    try {
      await mustRun("mount", ["--rbind", "/sys/fs/cgroup", at]);
      // What is unmounted here has to stay mounted where it came from.
      await mustRun("mount", ["--make-rprivate", at]);
    } catch (error) {
      await view[Symbol.asyncDispose]();
      throw error;
    }
    return view;
  }

  get #cgroup(): string {
    return `${this.directory}/cgroup`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("umount", ["--recursive", "--lazy", this.#cgroup]);
    // Not recursive: a mount that stayed must not be emptied.
    await Deno.remove(this.#cgroup);
    await Deno.remove(this.directory);
  }
}
