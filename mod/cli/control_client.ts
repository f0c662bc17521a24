/**
 * Asks an agent over its control socket.
 *
 * @module
 */

import { request as startRequest } from "node:http";
import { ByteBuffer, type Clock, isRecord } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { CliIo } from "./io.ts";

/** No agent answers on the socket. */
export class AgentUnreachableError extends Error {
  override readonly name = "AgentUnreachableError";
}

/** The agent answers, but not with what was asked for. */
export class AgentAnswerError extends Error {
  override readonly name = "AgentAnswerError";
  /** Of an answer that refuses. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(message, options);
    this.status = options.status;
  }
}

type Body = AsyncIterable<Uint8Array>;

/** How to reach an agent. */
export interface AgentAddress {
  readonly socketPath: string;
  readonly clock: Clock;
}

/** What a client command works with. */
export interface ClientContext {
  readonly io: CliIo;
  readonly agent: AgentAddress;
}

// Longer than any list takes to begin; a hung agent must not hang its clients.
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Sends one GET request and returns the answer as soon as it begins.
 *
 * @param options.signal Ends the request, and the answer that is being read with it.
 * @throws {AgentUnreachableError} When no agent answers, naming the socket.
 * @throws {AgentAnswerError} When the agent refuses.
 */
export async function ask(
  agent: AgentAddress,
  path: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Body> {
  const { status, body } = await begin(agent, path, options);
  if (status === 200) return body;
  throw refusalOf(status, await readText(body));
}

/**
 * The platform's `fetch` would need a grant for the name in its URL besides the
 * socket's; `node:http` needs the socket's only.
 */
async function begin(
  { socketPath, clock }: AgentAddress,
  path: string,
  options: { readonly signal?: AbortSignal },
): Promise<{ readonly status: number; readonly body: Body }> {
  const answer = Promise.withResolvers<Awaited<ReturnType<typeof begin>>>();
  try {
    const request = startRequest({
      socketPath,
      path,
      method: "GET",
      headers: { host: "skerry", connection: "close" },
      ...options,
    }, (response) => {
      answer.resolve({ status: response.statusCode ?? 0, body: response });
    });
    using _limit = clock.after(ANSWER_TIMEOUT_MS, () => {
      request.destroy(
        new Error(
          `Cannot wait longer: no answer within ${ANSWER_TIMEOUT_MS} ms`,
        ),
      );
    });
    request.on("error", answer.reject);
    request.end();
    return await answer.promise;
  } catch (error) {
    throw new AgentUnreachableError(
      `Cannot reach an agent at "${socketPath}": ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  switch (code) {
    case "ENOENT":
      return "found no socket there, wanted one of a running agent";
    case "ECONNREFUSED":
      return "found a socket on which nobody listens, wanted a running agent";
    default:
      return describeError(error);
  }
}

/**
 * Reads a JSON answer whole.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the agent refuses, or answers with no JSON.
 */
export async function askJson(
  agent: AgentAddress,
  path: string,
): Promise<unknown> {
  const text = await readText(await ask(agent, path));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AgentAnswerError(
      `Cannot read the answer of "${agent.socketPath}": found no JSON`,
      { cause: error },
    );
  }
}

/**
 * Asks for a list; an agent of the same version made its items.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function askList<List extends { readonly items: unknown }>(
  agent: AgentAddress,
  path: string,
  what: string,
): Promise<List> {
  const body = await askJson(agent, path);
  if (isList<List>(body)) return body;
  throw new AgentAnswerError(
    `Cannot read the ${what} of "${agent.socketPath}": found no list`,
  );
}

function isList<List>(body: unknown): body is List {
  return isRecord(body) && Array.isArray(body["items"]);
}

// More than the lists of any device; what is no agent may answer without end.
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Reads an answer to its end.
 *
 * @throws {AgentAnswerError} When it is longer than any.
 */
export async function readText(answer: Body): Promise<string> {
  const text = new ByteBuffer({ maxBytes: MAX_ANSWER_BYTES });
  for await (const piece of answer) {
    if (text.add(piece)) continue;
    throw new AgentAnswerError(
      `Cannot read the answer: found more than ${MAX_ANSWER_BYTES} bytes`,
    );
  }
  return new TextDecoder().decode(text.bytes);
}

/**
 * Reads the lines of an answer as they come.
 *
 * @throws {AgentUnreachableError} When it breaks off.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of body) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw new AgentUnreachableError(
      `Cannot read on: the agent has broken off: ${describeError(error)}`,
      { cause: error },
    );
  }
}

/** The message of a refusal, from a `Status` or a plain text. */
export function refusalOf(status: number, text: string): AgentAnswerError {
  let message = text.trim();
  try {
    const body: unknown = JSON.parse(text);
    const said = isRecord(body) ? body["message"] : undefined;
    if (typeof said === "string") message = said;
  } catch {
    // A plain text is its own message.
  }
  return new AgentAnswerError(
    message === "" ? `Cannot get an answer: found status ${status}` : message,
    { status },
  );
}
