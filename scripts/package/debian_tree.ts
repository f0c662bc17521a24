/**
 * Lays out the files of the Debian package and packs them.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";

/** One file of the package, or of its control part. */
export interface PackageFile {
  /** Absolute, as it will lie on the device. */
  readonly path: string;
  /** The text or bytes of it, or a file to copy. */
  readonly content: string | Uint8Array | { readonly copyOf: string };
  /** @default 0o644 */
  readonly mode?: number;
  /** dpkg asks before it replaces what an operator has changed. */
  readonly isConfig?: true;
}

/** What dpkg knows of the package. */
export interface PackageControl {
  readonly version: string;
  /** As Debian calls it, such as `amd64`. */
  readonly architecture: string;
  readonly scripts: Readonly<Record<"postinst" | "prerm" | "postrm", string>>;
}

/** A package to be made. */
export interface DebianPackage {
  readonly control: PackageControl;
  readonly files: readonly PackageFile[];
  /** Directories that the package brings empty. */
  readonly directories: readonly string[];
}

/** The time of every file: the same source gives the same package. */
const FIXED_SECONDS = Date.UTC(2026, 0, 1) / 1_000;

/**
 * Makes the package at `output`, by way of a directory that is removed again.
 *
 * @param compression as `dpkg-deb -Z` takes it
 * @throws {Error} with what dpkg-deb said
 */
export async function packDebian(
  { control, files, directories }: DebianPackage,
  options: { readonly output: string; readonly compression: string },
): Promise<void> {
  const { output, compression } = options;
  const tree = await Deno.makeTempDir({ prefix: "skerry-package-" });
  try {
    await Deno.chmod(tree, 0o755);
    for (const path of directories) await makeDirectory(`${tree}${path}`);
    const sums: string[] = [];
    for (const file of files) {
      const bytes = await bytesOf(file);
      await put(`${tree}${file.path}`, bytes, file.mode ?? 0o644);
      const sum = createHash("md5").update(bytes).digest("hex");
      sums.push(`${sum}  ${file.path.slice(1)}\n`);
    }
    const installed = files.length === 0 ? 0 : await sizeOf(tree);
    const configs = files.filter(({ isConfig }) => isConfig === true);
    const texts: Readonly<Record<string, string>> = {
      control: controlText(control, installed),
      conffiles: configs.map(({ path }) => `${path}\n`).join(""),
      md5sums: sums.join(""),
      ...control.scripts,
    };
    for (const [name, text] of Object.entries(texts)) {
      const isScript = name in control.scripts;
      const bytes = new TextEncoder().encode(text);
      await put(`${tree}/DEBIAN/${name}`, bytes, isScript ? 0o755 : 0o644);
    }
    await runPacker(tree, output, compression);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

async function bytesOf({ content }: PackageFile): Promise<Uint8Array> {
  if (typeof content === "string") return new TextEncoder().encode(content);
  return content instanceof Uint8Array
    ? content
    : await Deno.readFile(content.copyOf);
}

/** A file as gzip makes it without name and time. */
export function gzipped(text: string): Uint8Array {
  return gzipSync(new TextEncoder().encode(text), { level: 9 });
}

async function put(
  path: string,
  bytes: Uint8Array,
  mode: number,
): Promise<void> {
  await makeDirectory(dirname(path));
  await Deno.writeFile(path, bytes, { mode });
  // Whatever the umask is.
  await Deno.chmod(path, mode);
}

async function makeDirectory(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o755 });
}

/** In kibibytes, each file rounded up as dpkg wants it. */
async function sizeOf(directory: string): Promise<number> {
  let total = 1;
  for await (const entry of Deno.readDir(directory)) {
    const path = `${directory}/${entry.name}`;
    total += entry.isDirectory
      ? await sizeOf(path)
      : Math.ceil((await Deno.lstat(path)).size / 1_024);
  }
  return total;
}

function controlText(
  { version, architecture }: PackageControl,
  installedKib: number,
): string {
  return [
    "Package: skerry",
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    "Maintainer: skerry <skerry@localhost>",
    `Installed-Size: ${installedKib}`,
    "Depends: libc6, libgcc-s1, init-system-helpers",
    "Recommends: containerd | cri-o",
    "Section: admin",
    "Priority: optional",
    "Description: runs Kubernetes Pod manifests on one machine",
    " A node agent for devices that are often offline. Put a Pod manifest into",
    " /etc/skerry/manifests and the pod runs on containerd or CRI-O, without an",
    " API server.",
    "",
  ].join("\n");
}

async function runPacker(
  tree: string,
  output: string,
  compression: string,
): Promise<void> {
  const { success, stderr } = await new Deno.Command("dpkg-deb", {
    args: [
      "--root-owner-group",
      `-Z${compression}`,
      "--build",
      tree,
      output,
    ],
    env: { SOURCE_DATE_EPOCH: String(FIXED_SECONDS) },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  const text = new TextDecoder().decode(stderr).trim();
  throw new Error(`Cannot pack "${output}": ${text}`);
}
