/**
 * Writes a log as fast as it is told, as a runtime does for a container.
 *
 * Arguments: the path, bytes a second, seconds. A line on standard input opens the file
 * again; each is answered by `reopened`. The last line of output is the number of lines.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- the other process reads what it prints

const LINE_BYTES = 100;
const DIGITS = 12;
const EVERY_MS = 10;
const ZERO = 48;

const [path = "", rate = "0", seconds = "0"] = Deno.args;
const linesPerTurn = Math.round(Number(rate) / 1000 * EVERY_MS / LINE_BYTES);
const head = "2026-01-02T03:04:05.000000000Z stdout F ";
const block = new TextEncoder().encode(
  `${head.padEnd(LINE_BYTES - 1, "0")}\n`.repeat(linesPerTurn),
);

let file = open();
let written = 0;

function open(): Deno.FsFile {
  return Deno.openSync(path, { append: true, create: true });
}

/** Puts the next numbers into the lines of the block. */
function number(): void {
  for (let line = 0; line < linesPerTurn; line++) {
    let rest = written++;
    const first = line * LINE_BYTES + head.length;
    for (let at = first + DIGITS - 1; at >= first; at--) {
      block[at] = ZERO + rest % 10;
      rest = Math.floor(rest / 10);
    }
  }
}

async function answer(): Promise<void> {
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  for await (const text of lines) {
    for (const _ of text.matchAll(/\n/g)) {
      const old = file;
      file = open();
      old.close();
      console.log("reopened");
    }
  }
}

const answering = answer();
const startMs = performance.now();
for (let turn = 0; turn < Number(seconds) * 1000 / EVERY_MS; turn++) {
  number();
  for (let at = 0; at < block.length;) at += file.writeSync(block.subarray(at));
  const dueMs = startMs + (turn + 1) * EVERY_MS;
  const leftMs = Math.max(0, dueMs - performance.now());
  await new Promise((resolve) => setTimeout(resolve, leftMs));
}
console.log(`${written} ${Math.round(performance.now() - startMs)}`);
await answering;
