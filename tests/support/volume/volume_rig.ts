/**
 * A root directory with volumes, and looks at what they made.
 *
 * @module
 */

import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import {
  type ClaimObject,
  type KeyedObject,
  type ObjectGetter,
  type ObjectId,
  type ObjectRef,
  parseQuantity,
} from "../../../mod/api/objects/mod.ts";
import type { Pod, PodSpec, Volume } from "../../../mod/api/types/mod.ts";
import type { Garbage } from "../../../mod/collect/mod.ts";
import { removeTree } from "../../../mod/host/files/mod.ts";
import {
  mountFailure,
  PodDirectories,
  PodVolumes,
  type VolumeFiles,
  type VolumeSetup,
} from "../../../mod/volume/mod.ts";
import { container, pod } from "../pods.ts";
import { FakeClock } from "../fake_clock.ts";
import { claimOf, keyed } from "../keyed_objects.ts";
import { succeeds } from "../succeeds.ts";

/** The UID of the pod of most tests. */
export const UID = "c91d8c86a58689179e178d2e8b320640";

/** The objects of one test; what is not set is not there. */
export class Objects implements ObjectGetter {
  readonly #keyed = new Map<string, KeyedObject>();
  readonly #claims = new Map<string, ClaimObject>();
  readonly #withheld = new Map<string, string>();
  /** Why what is not there may be there all the same. */
  absence: ObjectGetter["absence"];
  /** Whether all sources of this test have spoken. */
  haveSpoken = true;
  /** The names of what is newer than what was found before. */
  readonly renewed: Set<string> = new Set<string>();

  isCertain(id: ObjectId): boolean {
    return this.haveSpoken && this.withheld(id) === undefined;
  }

  isRenewed({ name }: ObjectRef): boolean {
    return this.renewed.has(name);
  }

  configMap(ref: ObjectRef): KeyedObject | undefined {
    return this.#keyed.get(`ConfigMap/${ref.namespace}/${ref.name}`);
  }

  secret(ref: ObjectRef): KeyedObject | undefined {
    return this.#keyed.get(`Secret/${ref.namespace}/${ref.name}`);
  }

  claim(ref: ObjectRef): ClaimObject | undefined {
    return this.#claims.get(`${ref.namespace}/${ref.name}`);
  }

  runtimeClass(): undefined {
    return undefined;
  }

  withheld({ kind, name }: ObjectId): string | undefined {
    return this.#withheld.get(`${kind}/${name}`);
  }

  /** The server refuses to say anything of an object. */
  withhold(kind: ObjectId["kind"], name: string, why: string): void {
    this.#withheld.set(`${kind}/${name}`, why);
  }

  seenBy(): this {
    return this;
  }

  /** Puts an object in place of the one that there is. */
  set(
    kind: KeyedObject["kind"],
    name: string,
    entries: Readonly<Record<string, string>>,
  ): void {
    this.#keyed.set(`${kind}/shop/${name}`, keyed(kind, name, entries));
    this.#withheld.delete(`${kind}/${name}`);
  }

  /** Takes an object away. */
  unset(kind: KeyedObject["kind"], name: string): void {
    this.#keyed.delete(`${kind}/shop/${name}`);
  }

  /** Puts a claim there, of the simplest kind unless told otherwise. */
  setClaim(name: string, claim: Partial<ClaimObject> = {}): void {
    this.#claims.set(`shop/${name}`, claimOf(name, claim));
  }

  /** Takes a claim away. */
  unsetClaim(name: string): void {
    this.#claims.delete(`shop/${name}`);
  }
}

/** A root directory of its own, removed afterwards. */
export class Root implements AsyncDisposable {
  readonly path: string;
  readonly volumes: PodVolumes;
  readonly directories: PodDirectories;
  /** What was taken away and not removed yet. */
  readonly garbage: Garbage[] = [];
  readonly objects: Objects = new Objects();
  readonly clock: FakeClock = new FakeClock();

  constructor(path: string, files: VolumeFiles = { removeTree }) {
    this.path = path;
    this.directories = new PodDirectories({
      rootDir: `${path}/root`,
      runDir: `${path}/run`,
    }, { files, collector: { add: (piece) => this.garbage.push(piece) } });
    this.volumes = new PodVolumes(
      {
        rootDir: `${path}/root`,
        runDir: `${path}/run`,
        hostPathRoots: [`${path}/elsewhere`, `${path}/host`],
      },
      {
        clock: this.clock,
        log: silentLogger,
        files,
        directories: this.directories,
        objects: this.objects,
        allocatable: () =>
          new Map([
            ["cpu", parseQuantity("4")],
            ["memory", parseQuantity("8Gi")],
          ]),
      },
    );
  }

  /** Makes one in a temporary directory. */
  static async make(): Promise<Root> {
    return new Root(await Deno.makeTempDir({ prefix: "skerry-volume-" }));
  }

  /** The pod's directory on disk. */
  get podDirectory(): string {
    return `${this.path}/root/pods/${UID}`;
  }

  /** The pod's directory in memory. */
  get runDirectory(): string {
    return `${this.path}/run/pods/${UID}`;
  }

  /** Takes a pod's directories away and removes them. */
  async remove(
    uid: string = UID,
    options: { readonly keep?: string } = {},
  ): Promise<void> {
    this.directories.discard(uid, options);
    await this.collect();
  }

  /** Removes what was taken away, as the collector does. */
  async collect(): Promise<void> {
    for (const piece of this.garbage.splice(0)) {
      await piece.remove(new AbortController().signal);
    }
  }

  /** Removes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

/** A pod with one volume that its only container mounts. */
export function podWith(
  volume: Volume,
  spec: Partial<PodSpec> = {},
  uid: string = UID,
): Pod {
  const volumeMounts = [{ name: volume.name, mountPath: "/v" }];
  return pod({
    uid,
    labels: { tier: "front", app: "web" },
    volumes: [volume],
    containers: [container("c", { volumeMounts })],
    ...spec,
  });
}

/** Sets up the pod's volume and answers where it lies. */
export async function sourceOf(root: Root, pod: Pod): Promise<string> {
  await root.directories.prepare(pod);
  return sourceIn(await root.volumes.setUp(pod));
}

/** The only source of a success. */
export function sourceIn(result: VolumeSetup): string {
  if (result.kind === "failed") {
    throw new Error(mountFailure(result.failures.values()).message);
  }
  const [source] = result.sources.values();
  if (source === undefined) throw new Error("no source");
  return source.hostPath;
}

/** Sets up the pod's volume and answers why it failed. */
export async function failureOf(root: Root, pod: Pod): Promise<string> {
  await root.directories.prepare(pod);
  const result = await root.volumes.setUp(pod);
  return result.kind === "failed"
    ? mountFailure(result.failures.values()).message
    : "no failure";
}

/** The permission bits of a path, of a link itself. */
export async function modeOf(path: string): Promise<number | undefined> {
  const { mode } = await Deno.lstat(path);
  return mode === null ? undefined : mode & 0o7777;
}

/** Whether anything, even a link, is there. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    // Only what is missing matters to these tests.
    return false;
  }
}

/** Every regular file below a directory with its content, sorted by path; other things by their type. */
export async function contentOf(
  path: string,
): Promise<Readonly<Record<string, string>>> {
  const found: [string, string][] = [];
  const pending = [""];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for await (const entry of Deno.readDir(`${path}/${at}`)) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory) {
        pending.push(name);
        found.push([`${name}/`, ""]);
      } else {
        found.push([
          name,
          entry.isFile ? await Deno.readTextFile(`${path}/${name}`) : "?",
        ]);
      }
    }
  }
  return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Whether bind mounts are possible here. */
export async function canBindMount(): Promise<boolean> {
  const path = await Deno.makeTempDir({ prefix: "skerry-mount-" });
  const mounted = await succeeds("mount", "--bind", path, path);
  if (mounted) await succeeds("umount", path);
  await Deno.remove(path);
  return mounted;
}
