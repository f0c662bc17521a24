/**
 * A machine of its own with systemd as its first process, in namespaces of this one.
 *
 * Its disk is an overlay over that of this machine: what is installed or removed there leaves
 * no trace here. It has this machine's network and none of its services.
 *
 * @module
 */

import { run } from "../../../scripts/lib/runtime_tools.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { MemoryDisk } from "./memory_disk.ts";

const SYSTEMD = "/lib/systemd/systemd";

/**
 * Makes the machine's disk, and hands over to systemd. The arguments are a directory with a
 * file system for what changes, and the directories that it shares with this machine.
 */
const BOOT = `
set -e
disk=$1; shift
root=$disk/root
mount --make-rprivate /
mkdir -p "$root" "$disk/upper" "$disk/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$disk/upper,workdir=$disk/work" "$root"
if [ ! -e "$root/is-installed" ]; then
  # Nothing of this machine's own start, and no ban on starting services.
  rm -f "$root"/lib/systemd/system/*.wants/* "$root"/etc/systemd/system/*.wants/*
  rm -f "$root"/usr/sbin/policy-rc.d
  touch "$root/is-installed"
fi
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs run "$root/run"
mount -t tmpfs tmp "$root/tmp"
mount -t tmpfs dev "$root/dev"
for name in null zero full random urandom tty; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
touch "$root/dev/console"
mount --bind /dev/null "$root/dev/console"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 pts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for shared in "$@"; do
  mkdir -p "$root$shared"
  mount --bind "$shared" "$root$shared"
done
mkdir -p "$root/old"
cd "$root"
pivot_root . old
umount -l /old
exec env -i container=skerry PATH=/usr/sbin:/usr/bin:/sbin:/bin ${SYSTEMD} --unit=multi-user.target
`;

/**
 * Gives the machine a cgroup of its own at each boot, so that its systemd takes none of this
 * machine's for its own. The arguments are the disk, and the command that goes on in it.
 */
const ENCLOSE = `
set -e
disk=$1; shift
mkdir -p "$disk/cgroup"
mount -t cgroup2 cgroup2 "$disk/cgroup"
group=$disk/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/skerry-\${disk##*/}/$$
case $group in *" (deleted)"*) exit 1;; esac
mkdir -p "$group"
echo $$ > "$group/cgroup.procs"
umount "$disk/cgroup"
exec "$@"
`;

/** Takes that cgroup away again, when nothing is in it. */
const DISSOLVE = `
mkdir -p "$1/cgroup"
mount -t cgroup2 cgroup2 "$1/cgroup"
find "$1/cgroup" -depth -type d -path "*/skerry-\${1##*/}*" -exec rmdir {} +
umount "$1/cgroup"
`;

const NAMESPACES = ["--pid", "--cgroup", "--ipc", "--uts"];

/** What a command in the machine said. */
export interface MachineAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** The machine's disk, which outlives its boots. */
export class SystemdMachine implements AsyncDisposable {
  readonly #disk: string;
  readonly #shared: readonly string[];
  #process: Deno.ChildProcess | undefined;
  #pid = 0;

  private constructor(disk: string, shared: readonly string[]) {
    this.#disk = disk;
    this.#shared = shared;
  }

  /** Makes a disk and boots from it. */
  static async boot(shared: readonly string[]): Promise<SystemdMachine> {
    const disk = await Deno.makeTempDir({ prefix: "skerry-machine-" });
    await MemoryDisk.mount(disk);
    const machine = new SystemdMachine(disk, shared);
    try {
      await machine.boot();
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Why there is no such machine here; `undefined` when there is. */
  static async missing(): Promise<string | undefined> {
    try {
      await Deno.stat(SYSTEMD);
      await using machine = await SystemdMachine.boot([]);
      const { ok, text } = await machine.run("dpkg-deb", "--version");
      return ok ? undefined : text;
    } catch (error) {
      return `no machine with systemd: ${error}`;
    }
  }

  /** Starts systemd, and waits until it has done so. */
  async boot(): Promise<void> {
    const process = new Deno.Command("unshare", {
      args: [
        "--mount",
        "sh",
        "-c",
        ENCLOSE,
        "sh",
        this.#disk,
        "unshare",
        ...NAMESPACES,
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        BOOT,
        "sh",
        this.#disk,
        ...this.#shared,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    this.#process = process;
    let state = "";
    await waitUntil("a machine that has booted", async () => {
      this.#pid = await firstChild(process.pid);
      if (this.#pid === 0) return false;
      state = (await this.run("systemctl", "is-system-running")).text.trim();
      return state === "running" || state === "degraded";
    }, { saw: () => state, timeoutMs: 60_000 });
  }

  /** Runs a command in the machine. */
  async run(...command: readonly string[]): Promise<MachineAnswer> {
    return await run("nsenter", [
      `--target=${this.#pid}`,
      "--mount",
      "--pid",
      "--cgroup",
      "--ipc",
      "--uts",
      "--root",
      "--wd",
      ...command,
    ]);
  }

  /** The same. @throws {Error} when it does not succeed */
  async must(...command: readonly string[]): Promise<string> {
    const { ok, text } = await this.run(...command);
    if (ok) return text;
    throw new Error(`Cannot run "${command.join(" ")}" there: ${text}`);
  }

  /** Shuts the machine down as an operator does, and waits until it is off. */
  async powerOff(): Promise<void> {
    // Without the way over logind, which is not there.
    await this.must(
      "systemctl",
      "--no-block",
      "--job-mode=replace-irreversibly",
      "start",
      "poweroff.target",
    );
    await this.#process?.status;
    this.#process = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process?.kill("SIGKILL");
      await this.#process?.status;
    } finally {
      await run("unshare", ["--mount", "sh", "-c", DISSOLVE, "sh", this.#disk]);
      await run("umount", ["--lazy", this.#disk]);
      await Deno.remove(this.#disk);
    }
  }
}

async function firstChild(pid: number): Promise<number> {
  try {
    const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
    return Number(text.split(" ")[0] ?? 0);
  } catch {
    return 0;
  }
}
