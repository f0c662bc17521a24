/**
 * A ustar writer, as much as an image layer needs.
 *
 * @module
 */

/** One member of an archive. */
export type TarEntry =
  | {
    readonly kind: "file";
    readonly path: string;
    readonly mode: number;
    readonly bytes: Uint8Array;
  }
  | { readonly kind: "directory"; readonly path: string; readonly mode: number }
  | { readonly kind: "hard_link"; readonly path: string; readonly to: string };

const BLOCK = 512;

/** Packs `entries` in their order; times and owners are zero, so equal input gives equal bytes. */
export function packTar(entries: readonly TarEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const size = entry.kind === "file" ? entry.bytes.length : 0;
    parts.push(header(entry, size));
    if (entry.kind === "file") {
      parts.push(entry.bytes, new Uint8Array((BLOCK - size % BLOCK) % BLOCK));
    }
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return concat(parts);
}

/** Joins byte arrays. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function header(entry: TarEntry, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const text = new TextEncoder();
  const put = (at: number, value: string) => block.set(text.encode(value), at);
  const octal = (value: number, width: number) =>
    value.toString(8).padStart(width, "0") + "\0";
  const mode = entry.kind === "hard_link" ? 0o755 : entry.mode;
  put(0, entry.path);
  put(100, octal(mode, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(0, 11));
  put(148, "        ");
  put(156, { file: "0", hard_link: "1", directory: "5" }[entry.kind]);
  if (entry.kind === "hard_link") put(157, entry.to);
  put(257, "ustar\0" + "00");
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, sum.toString(8).padStart(6, "0") + "\0 ");
  return block;
}
