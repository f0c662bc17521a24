/**
 * Whether bytes of images come.
 *
 * @module
 */

import type { Ingest } from "../../cri/model/mod.ts";

/** A piece of an image, as it was last seen. */
interface SeenPiece extends Pick<Ingest, "bytes" | "totalBytes"> {
  /** It was begun, or has grown, since pulls are watched; another is left from before. */
  readonly isLive: boolean;
  /** When it was first seen: monotonic milliseconds. */
  readonly seenMs: number;
}

/** What was seen of all pieces that the runtime writes, by anybody's pulls. */
export interface IngestPicture {
  /** Those that are not whole yet, by name. */
  readonly pieces: ReadonlyMap<string, SeenPiece>;
  /** When something was last seen to move: monotonic milliseconds. */
  readonly movedMs: number;
  /** Of the pieces that are whole by now, or were given up. */
  readonly doneBytes: number;
}

/** One look at the runtime. */
interface IngestLook {
  readonly ingests: readonly Ingest[];
  /** Monotonic milliseconds. */
  readonly atMs: number;
  /** What was begun since then is of a pull that is watched, or beside it: wall clock. */
  readonly sinceMs: number;
}

/**
 * The picture after one more look. Pure.
 *
 * That a piece appears, grows or is not listed any more is a move. A piece that lay there
 * before says nothing until it moves: whoever wrote it may have gone.
 */
export function seeIngests(
  before: IngestPicture | undefined,
  { ingests, atMs, sinceMs }: IngestLook,
): IngestPicture {
  const pieces = new Map<string, SeenPiece>();
  let hasMoved = false;
  for (const { ref, bytes, totalBytes, begunMs } of ingests) {
    const known = before?.pieces.get(ref);
    const moves = known === undefined
      ? before !== undefined || begunMs >= sinceMs
      : known.bytes !== bytes;
    hasMoved ||= moves;
    const isLive = moves || known?.isLive === true;
    const { seenMs = atMs } = known ?? {};
    pieces.set(ref, { bytes, totalBytes, isLive, seenMs });
  }
  let doneBytes = before?.doneBytes ?? 0;
  for (const [ref, { isLive, bytes, totalBytes }] of before?.pieces ?? []) {
    if (!isLive || pieces.has(ref)) continue;
    hasMoved = true;
    doneBytes += Math.max(bytes, totalBytes);
  }
  const movedMs = hasMoved ? atMs : before?.movedMs ?? -Infinity;
  return { pieces, movedMs, doneBytes };
}

/** The pieces that wait for bytes, as far as watched pulls may be what writes them. */
export function waitingPieces(
  { pieces }: IngestPicture,
): readonly Pick<SeenPiece, "seenMs">[] {
  return [...pieces.values()].filter(({ isLive, bytes, totalBytes }) =>
    isLive && (totalBytes === 0 || bytes < totalBytes)
  );
}

/** The bytes that have come of all that was pulled since the first look. */
export function bytesSoFar({ pieces, doneBytes }: IngestPicture): number {
  return [...pieces.values()].filter(({ isLive }) => isLive)
    .reduce((sum, { bytes }) => sum + bytes, doneBytes);
}
