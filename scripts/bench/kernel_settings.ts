/**
 * What a kubelet changes of the machine, put back when it has gone.
 *
 * @module
 */

/** The kubelet sets them to what it likes when it starts. */
const SETTINGS = [
  "kernel/keys/root_maxbytes",
  "kernel/keys/root_maxkeys",
  "kernel/panic",
  "kernel/panic_on_oops",
  "vm/overcommit_memory",
  "vm/panic_on_oom",
] as const;

/** Folders that it makes outside of its own, whatever it is told. */
const FOLDERS = ["/var/lib/kubelet", "/var/log/containers"] as const;

/** Notes settings and folders; what has changed since is undone when it is disposed of. */
export async function keepMachine(): Promise<AsyncDisposable> {
  const settings = new Map<string, string>();
  for (const name of SETTINGS) {
    const path = `/proc/sys/${name}`;
    settings.set(path, await Deno.readTextFile(path));
  }
  const missing: string[] = [];
  for (const folder of FOLDERS) {
    if (!await isThere(folder)) missing.push(folder);
  }
  return {
    [Symbol.asyncDispose]: async () => {
      for (const [path, text] of settings) {
        if (await Deno.readTextFile(path) !== text) {
          await Deno.writeTextFile(path, text);
        }
      }
      for (const folder of missing) {
        if (await isThere(folder)) {
          await Deno.remove(folder, { recursive: true });
        }
      }
    },
  };
}

function isThere(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
