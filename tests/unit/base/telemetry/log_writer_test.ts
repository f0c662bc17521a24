/**
 * Log lines on their way to a slow stream.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  type LogSink,
  LogWriter,
} from "../../../../mod/base/telemetry/log_writer.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const clock = new FakeClock(0);

/** A sink that a test can block, limit or break. */
class FakeSink implements LogSink {
  text = "";
  writes = 0;
  chunk: number = Infinity;
  broken = false;
  #gate: PromiseWithResolvers<void> | undefined;

  block(): void {
    this.#gate = Promise.withResolvers();
  }

  async unblock(): Promise<void> {
    this.#gate?.resolve();
    this.#gate = undefined;
    await clock.advance(0);
  }

  async write(bytes: Uint8Array): Promise<number> {
    await this.#gate?.promise;
    this.writes++;
    if (this.broken) throw new Error("Broken pipe");
    const taken = bytes.subarray(0, this.chunk);
    this.text += new TextDecoder().decode(taken, { stream: false });
    return taken.length;
  }
}

const lines = (text: string) => text.split("\n").slice(0, -1);

Deno.test("LogWriter writes lines in order, those of one moment at once", async () => {
  const sink = new FakeSink();
  const writer = new LogWriter(sink, { clock, format: "text" });
  for (const line of ["a", "b", "c"]) writer.write(line);
  await writer.flush();
  strictEqual(sink.text, "a\nb\nc\n");
  strictEqual(sink.writes, 1);
  writer.write("d");
  await writer.flush();
  strictEqual(sink.text, "a\nb\nc\nd\n");
});

Deno.test("LogWriter goes on where the sink stopped", async () => {
  const sink = new FakeSink();
  sink.chunk = 3;
  const writer = new LogWriter(sink, { clock, format: "text" });
  writer.write("hello world");
  await writer.flush();
  strictEqual(sink.text, "hello world\n");
});

Deno.test("LogWriter.flush() with nothing written ends at once", async () => {
  await new LogWriter(new FakeSink(), { clock, format: "text" }).flush();
});

Deno.test("LogWriter drops what does not fit and tells how many at that place", async () => {
  const sink = new FakeSink();
  sink.block();
  const writer = new LogWriter(sink, { clock, format: "text" });
  writer.write("in flight");
  await clock.advance(0);
  for (let i = 1; i <= 1_003; i++) writer.write(`line ${i}`);
  await sink.unblock();
  await writer.flush();
  writer.write("later");
  await writer.flush();
  const [first, ...others] = lines(sink.text);
  strictEqual(first, "in flight");
  deepStrictEqual(others.slice(998), [
    "line 999",
    "line 1000",
    "1970-01-01T00:00:00.000Z WARN  log log_lines_dropped count=3",
    "later",
  ]);
});

Deno.test("LogWriter holds 1000 lines", async () => {
  const sink = new FakeSink();
  sink.block();
  const writer = new LogWriter(sink, { clock, format: "json" });
  writer.write("in flight");
  await clock.advance(0);
  for (let i = 0; i < 1_500; i++) writer.write(`${i}`);
  await sink.unblock();
  await writer.flush();
  strictEqual(lines(sink.text).length, 1_002);
  match(sink.text, /"message":"log_lines_dropped","count":500\}\n$/);
});

Deno.test("LogWriter counts the lines that a broken sink refused", async () => {
  const sink = new FakeSink();
  sink.broken = true;
  const writer = new LogWriter(sink, { clock, format: "text" });
  for (let round = 0; round < 3; round++) {
    writer.write("lost");
    writer.write("lost too");
    await writer.flush();
  }
  strictEqual(sink.writes, 3);
  sink.broken = false;
  writer.write("back");
  await writer.flush();
  match(sink.text, /^back\n.* log_lines_dropped count=6\n$/);
});

Deno.test("LogWriter gives up on a sink that takes nothing", async () => {
  const sink = new FakeSink();
  sink.chunk = 0;
  const writer = new LogWriter(sink, { clock, format: "text" });
  writer.write("stuck");
  await writer.flush();
  strictEqual(sink.writes, 1);
});
