/**
 * Builds small OCI images from what is on this machine: no registry is needed.
 *
 * @module
 */

import { concat, packTar, type TarEntry } from "./tar.ts";

/** An image to build: one layer and what runs in it. */
export interface ImageRecipe {
  /** The reference under which the runtime will know it. */
  readonly ref: string;
  readonly layer: readonly TarEntry[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  /** As in a Dockerfile: `1000`, `1000:1000` or a name. */
  readonly user?: string;
  readonly workingDir?: string;
}

/** The pieces that an image consists of, as a registry has them. */
export interface ImagePieces {
  readonly manifest: Uint8Array;
  readonly config: Uint8Array;
  readonly layer: Uint8Array;
}

/** What {@linkcode ImagePieces.manifest} is. */
export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** Builds the pieces of an image. */
export async function buildImagePieces(
  recipe: Omit<ImageRecipe, "ref">,
): Promise<ImagePieces> {
  const layer = packTar(recipe.layer);
  const layerDigest = await digest(layer);
  const config = json({
    architecture: Deno.build.arch === "aarch64" ? "arm64" : "amd64",
    os: "linux",
    config: {
      Env: recipe.env ?? ["PATH=/bin"],
      ...(recipe.entrypoint && { Entrypoint: recipe.entrypoint }),
      ...(recipe.command && { Cmd: recipe.command }),
      ...(recipe.user !== undefined && { User: recipe.user }),
      ...(recipe.workingDir !== undefined && { WorkingDir: recipe.workingDir }),
    },
    rootfs: { type: "layers", diff_ids: [layerDigest] },
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: {
      mediaType: "application/vnd.oci.image.config.v1+json",
      digest: await digest(config),
      size: config.length,
    },
    layers: [{
      mediaType: "application/vnd.oci.image.layer.v1.tar",
      digest: layerDigest,
      size: layer.length,
    }],
  });
  return { manifest, config, layer };
}

/** An OCI layout of one image as a tar archive, ready for `ctr images import`. */
export async function buildImageArchive(
  recipe: ImageRecipe,
): Promise<Uint8Array> {
  const { manifest, config, layer } = await buildImagePieces(recipe);
  const index = json({
    schemaVersion: 2,
    manifests: [{
      mediaType: MANIFEST_TYPE,
      digest: await digest(manifest),
      size: manifest.length,
      annotations: { "io.containerd.image.name": recipe.ref },
    }],
  });
  const blob = async (bytes: Uint8Array): Promise<TarEntry> =>
    file(`blobs/sha256/${(await digest(bytes)).slice(7)}`, bytes);
  return packTar([
    file("oci-layout", json({ imageLayoutVersion: "1.0.0" })),
    file("index.json", index),
    await blob(manifest),
    await blob(config),
    await blob(layer),
  ]);
}

/** The image that most tests run: a static busybox under its usual names. */
export async function busyboxRecipe(
  options: { ref: string; busyboxPath: string; user?: string },
): Promise<ImageRecipe> {
  const listed = await new Deno.Command(options.busyboxPath, {
    args: ["--list"],
  }).output();
  const applets = new TextDecoder().decode(listed.stdout).trim().split("\n");
  const text = new TextEncoder();
  return {
    ref: options.ref,
    layer: [
      ...["bin", "etc", "proc", "sys", "dev", "root"].map((path) => ({
        kind: "directory" as const,
        path: `${path}/`,
        mode: 0o755,
      })),
      { kind: "directory", path: "tmp/", mode: 0o1777 },
      file(
        "etc/passwd",
        text.encode(
          "root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/tmp:/bin/sh\n",
        ),
      ),
      file("etc/group", text.encode("root:x:0:\napp:x:1000:\n")),
      {
        kind: "file",
        path: "bin/busybox",
        mode: 0o755,
        bytes: await Deno.readFile(options.busyboxPath),
      },
      ...applets.filter((name) => name !== "busybox").map((name) => ({
        kind: "hard_link" as const,
        path: `bin/${name}`,
        to: "bin/busybox",
      })),
    ],
    command: ["sh"],
    ...(options.user !== undefined && { user: options.user }),
  };
}

/** A sandbox image: one static program of a few instructions that sleeps for ever. */
export function pauseRecipe(ref: string): ImageRecipe {
  return {
    ref,
    layer: [{
      kind: "file",
      path: "pause",
      mode: 0o755,
      bytes: pauseProgram(),
    }],
    entrypoint: ["/pause"],
  };
}

/** An ELF of one segment whose code waits for signals in a loop. */
function pauseProgram(): Uint8Array {
  const arm = Deno.build.arch === "aarch64";
  const code = arm
    // ppoll(0, 0, 0, 0) again and again; arm64 has no pause(2).
    ? words([
      0xd2800000,
      0xd2800001,
      0xd2800002,
      0xd2800003,
      0xd2800928,
      0xd4000001,
      0x17fffffa,
    ])
    // mov eax, 34 (pause); syscall; jmp to the start.
    : new Uint8Array([0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7]);
  const size = 64 + 56 + code.length;
  const base = 0x400000n;
  const head = new DataView(new ArrayBuffer(64 + 56));
  [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1].forEach((byte, at) =>
    head.setUint8(at, byte)
  );
  head.setUint16(16, 2, true); // executable
  head.setUint16(18, arm ? 183 : 62, true);
  head.setUint32(20, 1, true);
  head.setBigUint64(24, base + 120n, true); // entry: right after the headers
  head.setBigUint64(32, 64n, true);
  head.setUint16(52, 64, true);
  head.setUint16(54, 56, true);
  head.setUint16(56, 1, true);
  head.setUint32(64, 1, true); // PT_LOAD
  head.setUint32(68, 5, true); // read and execute
  head.setBigUint64(80, base, true);
  head.setBigUint64(88, base, true);
  head.setBigUint64(96, BigInt(size), true);
  head.setBigUint64(104, BigInt(size), true);
  head.setBigUint64(112, 0x1000n, true);
  return concat([new Uint8Array(head.buffer), code]);
}

function words(values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, at) => view.setUint32(at * 4, value, true));
  return new Uint8Array(view.buffer);
}

function file(path: string, bytes: Uint8Array): TarEntry {
  return { kind: "file", path, mode: 0o644, bytes };
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** By it a registry and a runtime call a piece. */
export async function digest(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return `sha256:${new Uint8Array(hash).toHex()}`;
}
