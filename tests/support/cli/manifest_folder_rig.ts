/**
 * A folder of manifests that commands change.
 *
 * @module
 */

import { type CommandOutcome, run, TestIo } from "./test_io.ts";
import { TempDir } from "../temp_dir.ts";

/** A Deployment with comments. */
export const WEB_MANIFEST: string = `# the shop
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2   # enough
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      initContainers:
      - {name: init, image: "busybox:1"}
      containers:
      - name: server # the only one
        image: nginx:1.26
`;
/** A ConfigMap. */
export const DATA: string = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  a: "1"
`;
/** The folder, in a directory of its own. */
export class ManifestFolderRig implements AsyncDisposable {
  readonly #dir: TempDir;

  private constructor(dir: TempDir) {
    this.#dir = dir;
  }

  static async make(
    files: Readonly<Record<string, string>>,
  ): Promise<ManifestFolderRig> {
    const folder = new ManifestFolderRig(await TempDir.make());
    await Deno.mkdir(folder.path);
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder.path}/${name}`, text);
    }
    return folder;
  }

  get path(): string {
    return `${this.#dir.path}/manifests`;
  }

  /** A file beside the folder. */
  async beside(name: string, text: string): Promise<string> {
    const path = `${this.#dir.path}/${name}`;
    await Deno.writeTextFile(path, text);
    return path;
  }

  run(line: string, stdin: string = ""): Promise<CommandOutcome> {
    const io = new TestIo();
    io.stdin = stdin;
    return run(`${line} --pod-manifest-path=${this.path}`, io);
  }

  async files(): Promise<Record<string, string>> {
    const files: [string, string][] = [];
    for await (const { name } of Deno.readDir(this.path)) {
      files.push([name, await Deno.readTextFile(`${this.path}/${name}`)]);
    }
    return Object.fromEntries(files.sort());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}
