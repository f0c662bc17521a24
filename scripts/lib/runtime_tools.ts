/**
 * What tests and the demo do to a runtime behind the agent's back, through `ctr`.
 *
 * @module
 */

import {
  buildImageArchive,
  busyboxRecipe,
  type ImageRecipe,
} from "./oci_image.ts";

/** `ctr` against one runtime, in the namespace that CRI uses. */
export class RuntimeTools {
  readonly socketPath: string;

  constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  /** Runs `ctr -n k8s.io …`. */
  async ctr(args: readonly string[]): Promise<{ ok: boolean; text: string }> {
    return await run("ctr", [
      "--address",
      this.socketPath,
      "--namespace",
      "k8s.io",
      ...args,
    ]);
  }

  /** Builds and imports one image. */
  async importImage(recipe: ImageRecipe): Promise<void> {
    const path = await Deno.makeTempFile({ suffix: ".tar" });
    try {
      await Deno.writeFile(path, await buildImageArchive(recipe));
      const { ok, text } = await this.ctr(["images", "import", path]);
      if (!ok) {
        throw new Error(`Cannot import image "${recipe.ref}": ${text.trim()}`);
      }
    } finally {
      await Deno.remove(path);
    }
  }

  /** Imports this machine's static busybox as `ref`. */
  async importBusybox(ref: string): Promise<void> {
    await this.importImage(
      await busyboxRecipe({
        ref,
        busyboxPath: await firstExisting(["/bin/busybox", "/usr/bin/busybox"]),
      }),
    );
  }

  /** Pids of the tasks that run in this runtime, by container id. */
  async tasks(): Promise<ReadonlyMap<string, number>> {
    const { text } = await this.ctr(["tasks", "ls"]);
    return new Map(
      text.trim().split("\n").slice(1)
        .map((line) => line.trim().split(/\s+/))
        .map(([id = "", pid = "0"]) => [id, Number(pid)]),
    );
  }

  /** SIGKILLs the first process of a container. */
  async killContainer(containerId: string): Promise<void> {
    const pid = (await this.tasks()).get(containerId);
    if (pid === undefined || pid <= 1) {
      throw new Error(
        `Cannot kill container "${containerId}": it has no running task`,
      );
    }
    Deno.kill(pid, "SIGKILL");
  }
}

/** The first of `paths` that is there. @throws {Error} when none is */
export async function firstExisting(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    if (await Deno.stat(path).then(() => true, () => false)) return path;
  }
  throw new Error(
    `Cannot find any of "${
      paths.join('", "')
    }": run scripts/install_dependencies.ts`,
  );
}

/** Runs a program to its end; its output and whether it succeeded. */
export async function run(
  command: string,
  args: readonly string[],
): Promise<{ ok: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return {
    ok: success,
    text: decoder.decode(stdout) + decoder.decode(stderr),
  };
}
