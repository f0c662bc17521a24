/**
 * The one question of gRPC's health protocol, grpc.health.v1 Health/Check.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { joinHostPort } from "../../base/text/mod.ts";
import { badAnswer, type TcpAddress } from "./tcp_connect.ts";
import { openLink } from "./byte_link.ts";
import { groupsOfSeven } from "./hpack.ts";
import {
  callHttp2,
  type Http2Answer,
  type Http2Request,
} from "./http2_call.ts";

/** One health check: the server and the service. */
export interface HealthQuestion {
  readonly address: TcpAddress;
  /** Empty for the server as a whole. */
  readonly service: string;
  readonly userAgent: string;
  /** The timeout sent to the server, in milliseconds; the signal is what ends the call. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Counts frames, and bytes that are moved or looked at. */
  readonly meter?: WorkMeter;
}

/** How a server answered, or why it did not. */
export type HealthAnswer =
  /** `SERVING`, or what it is instead. */
  | { readonly kind: "status"; readonly status: string }
  /** The server, or what stands for it, says that the call failed. */
  | { readonly kind: "refused"; readonly code: string; readonly detail: string }
  /** There is no connection, or the server does not speak HTTP/2. */
  | { readonly kind: "unconnected"; readonly cause: unknown }
  /** The call fell apart after the server had greeted. */
  | { readonly kind: "broken"; readonly cause: unknown }
  /** The signal aborted. */
  | { readonly kind: "aborted"; readonly wasConnected: boolean };

/**
 * Asks once, without TLS, over a connection of its own.
 *
 * Never rejects.
 *
 * Upstream: pkg/probe/grpc/grpc.go.
 */
export async function checkHealth(
  question: HealthQuestion,
): Promise<HealthAnswer> {
  const { address, signal, meter = UNMETERED } = question;
  let wasConnected = false;
  try {
    using link = await openLink(address, signal);
    const answer = await callHttp2(link, requestOf(question), {
      maxBodyBytes: MAX_BODY_BYTES,
      greeted: () => wasConnected = true,
      meter,
    });
    return interpret(answer);
  } catch (cause) {
    if (signal.aborted) return { kind: "aborted", wasConnected };
    return { kind: wasConnected ? "broken" : "unconnected", cause };
  }
}

// The answer has two bytes; what else there may be in it is not asked for.
const MAX_BODY_BYTES = 16 * 1024;

function requestOf(question: HealthQuestion): Http2Request {
  const { address, service, userAgent, timeoutMs } = question;
  return {
    authority: joinHostPort(address),
    path: "/grpc.health.v1.Health/Check",
    headers: [
      ["content-type", "application/grpc"],
      ["user-agent", userAgent],
      ["te", "trailers"],
      // As many digits as the protocol has room for.
      ["grpc-timeout", `${Math.min(Math.ceil(timeoutMs), 99_999_999)}m`],
    ],
    body: frameMessage(encodeRequest(service)),
  };
}

/** Length and a flag that says that nothing is compressed, then the message. */
function frameMessage(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(5 + message.length);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, 5);
  return framed;
}

/** The message HealthCheckRequest: a text with the number 1, or nothing. */
function encodeRequest(service: string): Uint8Array {
  const text = new TextEncoder().encode(service);
  if (text.length === 0) return text;
  return Uint8Array.from([0x0a, ...groupsOfSeven(text.length), ...text]);
}

function interpret({ status, fields, body }: Http2Answer): HealthAnswer {
  const code = fields.get("grpc-status");
  if (code === undefined) {
    return {
      kind: "refused",
      code: CODES_OF_HTTP.get(status) ?? "Unknown",
      detail: status === 200
        ? "the server ended the call without a gRPC status"
        : `unexpected HTTP status code received from server: ${status}`,
    };
  }
  if (code !== "0") {
    const name = CODES[Number(code)] ?? `Code(${code.slice(0, MAX_QUOTE)})`;
    const message = fields.get("grpc-message") ?? "";
    return { kind: "refused", code: name, detail: readable(message) };
  }
  return decodeAnswer(body);
}

/** As much of a server's own words as is shown. */
const MAX_QUOTE = 1024;

/** A message as the protocol spells it, with `%` before what is no ASCII. */
function readable(message: string): string {
  const bytes = Uint8Array.from(
    message.slice(0, MAX_QUOTE).replace(
      /%([0-9a-fA-F]{2})/g,
      (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    (letter) => letter.charCodeAt(0),
  );
  return new TextDecoder().decode(bytes);
}

function decodeAnswer(body: Uint8Array): HealthAnswer {
  const broken = (why: string): HealthAnswer => ({
    kind: "broken",
    cause: badAnswer(why),
  });
  const [isCompressed] = body;
  if (isCompressed === undefined || body.length < 5) {
    return broken("an answer without a message");
  }
  if (isCompressed !== 0) return broken("a message that is compressed");
  const { buffer, byteOffset } = body;
  const length = new DataView(buffer, byteOffset).getUint32(1);
  if (length !== body.length - 5) return broken("a message that is cut");
  const number = statusNumber(body.subarray(5));
  return number === undefined
    ? broken("a message that is no HealthCheckResponse")
    : { kind: "status", status: STATUSES[number] ?? String(number) };
}

/** The field 1 of a HealthCheckResponse; 0 when it is left out. */
function statusNumber(message: Uint8Array): number | undefined {
  let at = 0;
  let status = 0;
  const varint = (): number | undefined => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at++];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < message.length) {
    const tag = varint();
    if (tag === undefined || tag < 8) return undefined;
    const fixedBytes = FIXED_BYTES[tag % 8];
    if (fixedBytes !== undefined) {
      at += fixedBytes;
      continue;
    }
    const isText = tag % 8 === 2;
    if (tag % 8 !== 0 && !isText) return undefined;
    const number = varint();
    if (number === undefined) return undefined;
    if (tag === 8) status = number;
    if (isText) at += number;
  }
  return at === message.length ? status : undefined;
}

/** How long a field is whose type says so. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const STATUSES: readonly string[] = [
  "UNKNOWN",
  "SERVING",
  "NOT_SERVING",
  "SERVICE_UNKNOWN",
];

// https://grpc.io/docs/guides/status-codes/, in order, as Go spells them.
const CODES: readonly string[] = [
  ...["OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded"],
  ...["NotFound", "AlreadyExists", "PermissionDenied", "ResourceExhausted"],
  ...["FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented"],
  ...["Internal", "Unavailable", "DataLoss", "Unauthenticated"],
];

// What an answer means that something else than gRPC gives.
const CODES_OF_HTTP: ReadonlyMap<number, string> = new Map([
  [400, "Internal"],
  [401, "Unauthenticated"],
  [403, "PermissionDenied"],
  [404, "Unimplemented"],
  [429, "Unavailable"],
  [502, "Unavailable"],
  [503, "Unavailable"],
  [504, "Unavailable"],
]);
