/**
 * A directory of manifests on a mount that goes away and comes back.
 *
 * @module
 */

import type { BoundedRead, FileLook } from "../../../mod/host/files/mod.ts";
import { FakeManifests } from "./fake_manifests.ts";
import { manifest } from "./file_source_rig.ts";

/** The manifests that there may be; each has the pod of its own name. */
export const NAMES = ["a", "b"] as const;

/** What a manifest may say: a version of its pod, nothing that makes sense, or no pod. */
export type Says = "v1" | "v2" | "garbage" | "none";

/** A call of the agent. */
export type ManifestCall = "look" | "list" | "read";

/** What a call showed of a manifest in the mounted directory. */
export interface Sight {
  readonly name: string;
  /** A manifest that wants no pod counts as absent; one that does not say is faulty. */
  readonly what: "absent" | "present" | "faulty";
}

/** Manifests by name, without `.yaml`, below `/m`. */
export class MountedManifests extends FakeManifests {
  /** Is called before each call, also between two of the same look. */
  before: () => void = () => {};
  /** Is given what a call shows. */
  saw: (sight: Sight) => void = () => {};
  /** The call that fails, and the only path if there is one. */
  failing: { readonly call: ManifestCall; readonly path: string } | undefined;
  readonly #says = new Map<string, Says>();
  /** What lies on the file system while it is not mounted. */
  #away: typeof this.files | undefined;

  /** What each manifest says that the directory has when it is mounted. */
  wanted(): ReadonlyMap<string, Says> {
    return this.#says;
  }

  /** Whether a manifest is there that does not say what it wants. */
  isFaulty(name: string): boolean {
    return this.#says.get(name) === "garbage" || this.failing !== undefined;
  }

  put(name: string, says: Says, ageMs: number): void {
    const text = textOf(name, says);
    this.#says.set(name, says);
    this.#within(() => {
      this.remove(`${name}.yaml`);
      this.write(`${name}.yaml`, text, { ageMs, changedAgeMs: 0 });
    });
  }

  drop(name: string): void {
    this.#says.delete(name);
    this.#within(() => this.remove(`${name}.yaml`));
  }

  unmount(leaves: "empty" | "missing"): void {
    this.#away ??= new Map(this.files);
    this.files.clear();
    this.exists = leaves === "empty";
    [this.device, this.inode] = [2, 2];
  }

  mount(): void {
    for (const [path, file] of this.#away ?? []) this.files.set(path, file);
    this.#away = undefined;
    this.exists = true;
    [this.device, this.inode] = [1, 1];
  }

  override async look(path: string): Promise<FileLook> {
    this.#begin("look", path);
    this.#see(path, this.#whatOf(path));
    return await super.look(path);
  }

  override async list(path: string): Promise<readonly string[]> {
    this.#begin("list", path);
    if (!this.exists) throw Object.assign(new Error("No"), { code: "ENOENT" });
    for (const name of NAMES) {
      if (!this.#says.has(name)) this.#see(`/m/${name}.yaml`, "absent");
    }
    return await super.list(path);
  }

  override async read(path: string, maxBytes: number): Promise<BoundedRead> {
    this.#begin("read", path);
    this.#see(path, this.#whatOf(path));
    return await super.read(path, maxBytes);
  }

  #begin(call: ManifestCall, path: string): void {
    this.before();
    if (this.failing?.call !== call) return;
    if (this.failing.path !== "" && this.failing.path !== path) return;
    // It is as faulty where it is not mounted.
    this.saw({ name: nameOf(path), what: "faulty" });
    throw Object.assign(new Error("The disk says EIO"), { code: "EIO" });
  }

  #see(path: string, what: Sight["what"]): void {
    if (this.#away !== undefined || !path.startsWith("/m/")) return;
    this.saw({ name: nameOf(path), what });
  }

  #whatOf(path: string): Sight["what"] {
    const says = this.#says.get(nameOf(path));
    if (says === undefined || says === "none") return "absent";
    return says === "garbage" ? "faulty" : "present";
  }

  /** Changes the file system itself, mounted or not. */
  #within(change: () => void): void {
    const away = this.#away;
    if (away === undefined) return change();
    for (const [path, file] of away) this.files.set(path, file);
    change();
    this.#away = new Map(this.files);
    this.files.clear();
  }
}

function nameOf(path: string): string {
  return path.slice("/m/".length, -".yaml".length);
}

function textOf(name: string, says: Says): string {
  switch (says) {
    case "garbage":
      return "kind: [";
    case "none":
      return `{"apiVersion":"v1","kind":"PodList","items":[]}`;
    default:
      return manifest(name, says);
  }
}
