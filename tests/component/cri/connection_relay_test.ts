/**
 * What stands before the fake runtime: how a client ends is not how its connection ends.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { ConnectionRelay } from "../../support/fake_cri/connection_relay.ts";
import { FRAME, FrameReader } from "../../support/fake_cri/http2_frames.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const END_STREAM = 0x1;
const ANSWER = 0x1;

function frame(
  type: number,
  stream: number,
  length: number,
  flags = 0,
): Buffer {
  const bytes = Buffer.alloc(9 + length);
  bytes.writeUIntBE(length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  return bytes;
}

Deno.test("a client that ends in the middle of calls takes each one back, says no GOAWAY, and its connection ends when that is read", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/relay.sock`;
  const heard: string[] = [];
  let server: Socket | undefined;
  let hasEnded = false;
  await using _relay = await ConnectionRelay.open(path, (socket) => {
    server = socket;
    const reader = new FrameReader({ hasPreface: true });
    socket.on("error", () => {});
    socket.on("close", () => hasEnded = true);
    socket.on("data", (piece: Buffer) => {
      for (const { type, stream, bytes } of reader.read(piece).frames) {
        heard.push(`${type} ${stream}`);
        if (type !== FRAME.ping) continue;
        const answer = Buffer.from(bytes);
        answer.writeUInt8(ANSWER, 4);
        deepStrictEqual(hasEnded, false);
        socket.write(answer);
      }
    });
  });
  const client = await Deno.connect({ transport: "unix", path });
  const calls = [1, 3, 5].map((stream) => frame(FRAME.headers, stream, 3));
  const said = Buffer.concat([Buffer.alloc(24), ...calls]);
  // Whole frames come through however they were cut.
  await client.write(said.subarray(0, 30));
  await client.write(said.subarray(30));
  await until(() => heard.length === 3, "the calls");
  server?.write(frame(FRAME.data, 3, 2, END_STREAM));
  await client.read(new Uint8Array(11));
  await client.write(frame(FRAME.goAway, 0, 8));
  client.close();
  await until(() => hasEnded, "the end");
  deepStrictEqual(heard, [
    ...[1, 3, 5].map((stream) => `${FRAME.headers} ${stream}`),
    `${FRAME.reset} 1`,
    `${FRAME.reset} 5`,
    `${FRAME.ping} 0`,
  ]);
});
