/**
 * Answers and requests over real sockets, written to harm the agent.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { UNMETERED, type WorkMeter } from "../../../mod/base/mod.ts";
import {
  checkHealth,
  download,
  DownloadError,
} from "../../../mod/host/clients/mod.ts";
import {
  below,
  fuzz,
  fuzzShared,
  many,
  pick,
} from "../../support/fuzz/fuzz.ts";
import {
  hostileHttp2,
  hostileHttpAnswer,
  maxHttp2Steps,
} from "../../support/fuzz/hostile_answers.ts";
import { hostileText, inPieces } from "../../support/fuzz/hostile_bytes.ts";
import { drain, serveRaw } from "../../support/peers/raw_server.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";

const MAX_BYTES = 8192;

/** Answers each connection with these pieces, and closes it. */
function answering(pieces: readonly Uint8Array[]): ReturnType<typeof serveRaw> {
  return serveRaw(async (connection) => {
    await connection.read(new Uint8Array(4096));
    for (const piece of pieces) {
      for (let rest = piece; rest.length > 0;) {
        rest = rest.subarray(await connection.write(rest));
      }
    }
    await connection.closeWrite();
    await drain(connection);
  });
}

fuzz(
  "download() takes so much work for each byte, and keeps so many, whatever a URL answers",
  {
    inputs: 300,
    run: async ({ random, meter }) => {
      const bytes = hostileHttpAnswer(random);
      await using server = await answering(inPieces(random, bytes));
      const url = new URL(`http://127.0.0.1:${server.port}/`);
      const abort = new AbortController();
      try {
        const { body } = await download(url, {
          headers: {},
          maxBytes: MAX_BYTES,
          signal: abort.signal,
          meter,
        });
        ok(body.buffer.byteLength <= MAX_BYTES);
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        ok(error.message.length <= 1000, error.message.slice(0, 200));
      }
      ok(
        meter.total <= 1024 + 4 * bytes.length,
        `${meter.total} steps for ${bytes.length} bytes`,
      );
    },
  },
);

fuzz(
  "checkHealth() answers, and takes so much work for each byte, whatever a container does",
  {
    inputs: 100,
    run: async ({ random, meter }) => {
      const bytes = hostileHttp2(random);
      await using server = await answering(inPieces(random, bytes));
      const answer = await checkHealth({
        address: { host: "127.0.0.1", port: server.port },
        service: hostileText(random, 300),
        userAgent: "kube-probe/1.36",
        timeoutMs: 1000,
        signal: new AbortController().signal,
        meter,
      });
      ok(answer.kind !== "aborted");
      ok(
        meter.total <= maxHttp2Steps(bytes, bytes.length),
        `${meter.total} steps for ${bytes.length} bytes`,
      );
    },
  },
);

/** A control server whose agent counts what it is asked, and how often its pods are looked at. */
class CountingServer implements AsyncDisposable {
  readonly path: string;
  /** Counts for the input that is being sent. */
  meter: WorkMeter = UNMETERED;
  /** Questions about one pod since the last input began. */
  questions = 0;
  readonly #resources: AsyncDisposableStack;

  private constructor(path: string, resources: AsyncDisposableStack) {
    this.path = path;
    this.#resources = resources;
  }

  static async start(): Promise<CountingServer> {
    await using resources = new AsyncDisposableStack();
    const dir = resources.use(await TempDir.make());
    const path = `${dir.path}/s.sock`;
    const agent = new AgentStub();
    resources.use(await agent.serve(path));
    const server = new CountingServer(path, resources.move());
    agent.pods = many(PODS, (at) => server.#counted(stubPod(`pod-${at}`)));
    agent.locate = () => {
      server.questions++;
      return { kind: "not_found", message: "no log" };
    };
    agent.report = () => {
      server.questions++;
      return undefined;
    };
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  /** A pod, each look at which is counted. */
  #counted(pod: Pod): Pod {
    return new Proxy(pod, {
      get: (target, name) => {
        this.meter.spend(1);
        return Reflect.get(target, name);
      },
    });
  }
}

const PODS = 20;

/** Looks at a pod that is put in order and sent: 16 or 17 if there are so few. */
const LOOKS_A_POD = 24;

fuzzShared(
  "ControlServer asks the agent once for each request, looks so often at each pod, and stays well, whatever is sent",
  {
    inputs: 300,
    start: () => CountingServer.start(),
    run: async ({ random, meter }, server) => {
      server.meter = meter;
      server.questions = 0;
      const answer = await exchange(server.path, hostileRequest(random));
      ok(server.questions <= 1, `${server.questions} questions`);
      ok(meter.total <= PODS * LOOKS_A_POD, `${meter.total} looks`);
      ok(answer.length <= 100_000, `${answer.length} bytes`);
      ok(answer === "" || answer.startsWith("HTTP/1.1 "), answer.slice(0, 99));
      const well = await exchange(server.path, HEALTHZ);
      strictEqual(well.startsWith("HTTP/1.1 200"), true, well.slice(0, 99));
    },
  },
);

const HEALTHZ = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

function hostileRequest(
  random: Parameters<typeof hostileText>[0],
): string {
  const path = pick(random, [
    "/api/v1/pods",
    `/api/v1/namespaces/default/pods/${hostileText(random, 90)}`,
    `/api/v1/events?fieldSelector=${encoded(hostileText(random, 900))}`,
    `/containerLogs/a/b/${encoded(hostileText(random, 90))}?tailLines=1`,
    `/reports/default/${encoded(hostileText(random, 90))}`,
    `/${"a/".repeat(below(random, 4000))}`,
    `/%${hostileText(random, 90)}`,
    hostileText(random, 200),
  ]);
  const method = pick(random, ["GET", "GET", "GET", "HEAD", "POST", "A B"]);
  const headers = many(
    below(random, 20),
    () => `${hostileText(random, 20)}: ${hostileText(random, 90)}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\n${
    random.next() < 0.3 ? headers.join("") : ""
  }Connection: close\r\n\r\n`;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Sends all of it, then reads to the end. */
async function exchange(path: string, request: string): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path });
  const answer: number[] = [];
  try {
    for (let rest = new TextEncoder().encode(request); rest.length > 0;) {
      rest = rest.subarray(await connection.write(rest));
    }
    await connection.closeWrite();
    const room = new Uint8Array(16_384);
    for (let reads = 0; reads < 1000; reads++) {
      const count = await connection.read(room);
      if (count === null) break;
      answer.push(...room.subarray(0, count));
    }
  } catch {
    // The server may close before it has read all.
  }
  return new TextDecoder().decode(Uint8Array.from(answer));
}
