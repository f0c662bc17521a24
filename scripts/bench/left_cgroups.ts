/**
 * Cgroups of pods that are gone: runtimes leave a pod's own one behind, and a kubelet that
 * starts looks at every cgroup of the machine, thousands of them for seconds.
 *
 * @module
 */

// A younger one may be that of a pod whose first container is yet to come.
const LEAST_AGE_MS = 60_000;

/** Removes those below any `kubepods` that are empty and older than a minute. */
export async function removeLeftCgroups(
  root = "/sys/fs/cgroup",
  nowMs: number = Date.now(),
): Promise<void> {
  for (const tree of [root, ...await foldersOf(root)]) {
    for (const classFolder of ["", "/besteffort", "/burstable"]) {
      for (const pod of await foldersOf(`${tree}/kubepods${classFolder}`)) {
        if (pod.slice(pod.lastIndexOf("/") + 1).startsWith("pod")) {
          await removeIfLeft(pod, nowMs);
        }
      }
    }
  }
}

async function removeIfLeft(path: string, nowMs: number): Promise<void> {
  try {
    const { mtime } = await Deno.stat(path);
    if (nowMs - (mtime?.getTime() ?? nowMs) < LEAST_AGE_MS) return;
    // A cgroup with processes or children in it stays.
    await Deno.remove(path);
  } catch {
    // It is in use, or somebody else has removed it.
  }
}

async function foldersOf(path: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(path));
    return entries.filter(({ isDirectory }) => isDirectory)
      .map(({ name }) => `${path}/${name}`);
  } catch {
    // There is none.
    return [];
  }
}
