/**
 * What a failed call means to the agent.
 *
 * @module
 */

import { describeError } from "../../base/text/mod.ts";
import { ChannelFailure } from "./byte_channel.ts";
import { CriError, type CriErrorKind } from "../model/mod.ts";

/** What is known of a call besides how it failed. */
export interface CallFacts {
  readonly method: string;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** Set when the call's own time was over: how long it had. */
  readonly expiredMs: number | undefined;
}

/**
 * Makes the error that a port rejects with.
 *
 * A cancelled call comes first, then one that was too slow, and only then what the
 * channel says, which in both cases is merely that the call was cancelled.
 */
export function translateFailure(error: unknown, facts: CallFacts): CriError {
  const { method, signal, expiredMs } = facts;
  if (error instanceof CriError) return error;
  if (signal?.aborted) {
    return new CriError(
      { kind: "cancelled", method, detail: "the caller no longer waits" },
      { cause: signal.reason },
    );
  }
  if (expiredMs !== undefined) {
    const detail = `the runtime did not answer within ${expiredMs} ms`;
    return new CriError({ kind: "deadline", method, detail }, { cause: error });
  }
  return new CriError({ method, ...judge(error) }, { cause: error });
}

interface KnownFailure {
  readonly kind: CriErrorKind;
  readonly detail: string;
  readonly brief?: string;
}

function judge(error: unknown): KnownFailure {
  // The transport turns the sandbox's refusal into a plain lost connection.
  const denial = describeDenial(error);
  if (denial !== undefined) return { kind: "denied", detail: denial };
  if (!(error instanceof ChannelFailure)) {
    return { kind: "failed", detail: describeError(error) };
  }
  const { code, message } = error;
  return { kind: kindOf(code, message), ...describeAbsence(message) };
}

/**
 * Why there is no connection, in the same words each time: the transport adds the
 * moment, by which a log would take every attempt for something new.
 */
function describeAbsence(detail: string): Omit<KnownFailure, "kind"> {
  if (!detail.startsWith(UNCONNECTED)) return { detail };
  const [said = ""] = detail.slice(UNCONNECTED.length)
    .split("Resolution note:", 1);
  const end = said.endsWith(" ") ? -1 : said.length;
  const cause = said.slice(0, end);
  const why = (cause.endsWith(".") ? cause.slice(0, -1) : cause)
    .replace(/^Error: /, "").replace(TIME, "");
  const brief = `no connection: ${why}`;
  return { detail: `${brief}, wanted a CRI runtime that listens there`, brief };
}

// The words of grpc-js.
const UNCONNECTED = "No connection established. Last error: ";

const TIME = / \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/;

function kindOf(code: number, detail: string): CriErrorKind {
  // What is left of a call whose server was killed; a runtime that says INTERNAL
  // itself says something else.
  const isCutOff = code === 13 && detail.startsWith("Received RST_STREAM");
  return isCutOff ? "unavailable" : KINDS[code] ?? "failed";
}

// Numbers as in https://grpc.io/docs/guides/status-codes/.
const KINDS: Readonly<Record<number, CriErrorKind>> = {
  // CANCELLED, but not by the agent: the server did it when it was shut down.
  1: "unavailable",
  4: "deadline",
  5: "not_found",
  6: "already_exists",
  8: "resource_exhausted",
  12: "unimplemented",
  14: "unavailable",
};

/** The sandbox's refusal in words that name the grant; otherwise `undefined`. */
function describeDenial(error: unknown): string | undefined {
  const text = describeError(error);
  const isDenial = text.includes("NotCapable") ||
    (error instanceof Error && error.name === "NotCapable");
  if (!isDenial) return undefined;
  const [, what, where] = /Requires (\w+) access to "([^"]*)"/.exec(text) ?? [];
  if (what === undefined || where === undefined) return text;
  return `the sandbox forbids it: wanted the grant --allow-${what}=${where}`;
}
