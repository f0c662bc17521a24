/**
 * One probe on one line, as kubectl writes it, and what it last found.
 *
 * @module
 */

import type { Probe } from "../../api/types/mod.ts";
import type { ReportedProbe } from "../../server/mod.ts";

/** Writes a probe as kubectl's DescribeProbe does. */
export function probeText(probe: Probe): string {
  const attributes = [
    `delay=${probe.initialDelaySeconds ?? 0}s`,
    `timeout=${probe.timeoutSeconds ?? 1}s`,
    `period=${probe.periodSeconds ?? 10}s`,
    `#success=${probe.successThreshold ?? 1}`,
    `#failure=${probe.failureThreshold ?? 3}`,
  ].join(" ");
  return `${handlerText(probe)} ${attributes}`;
}

/** What a probe last found, for the line below it; `undefined` when it was not asked. */
export function probeResultText(
  report: ReportedProbe | undefined,
  age: (time: string) => string,
): string | undefined {
  if (report === undefined) return undefined;
  const { last, consecutive, paused } = report;
  const why = paused && (PAUSES[paused] ?? paused);
  if (last === undefined) return why && `not asked (${why})`;
  const said = last.message.trim();
  const message = said === "" ? "" : `: ${said}`;
  const times = consecutive > 1 ? `, ${consecutive} in a row` : "";
  const pause = why === undefined ? "" : ` (now ${why})`;
  return `last ${last.kind} ${age(last.time)} ago${times}${pause}${message}`;
}

/** Why nothing is asked. */
const PAUSES: Readonly<Record<string, string>> = {
  not_running: "the container does not run",
  initial_delay: "its initial delay lasts",
  not_started: "the startup probe comes first",
  started: "the container has started",
  on_hold: "the container is to be stopped",
};

function handlerText(probe: Probe): string {
  const { exec, httpGet, tcpSocket, grpc } = probe;
  if (exec !== undefined) {
    return `exec [${(exec.command ?? []).join(" ")}]`;
  }
  if (httpGet !== undefined) {
    const { scheme = "HTTP", host = "", port, path = "" } = httpGet;
    return `http-get ${scheme.toLowerCase()}://${host}:${port}${path}`;
  }
  if (tcpSocket !== undefined) {
    return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port}`;
  }
  if (grpc !== undefined) {
    return `grpc <pod>:${grpc.port} ${grpc.service ?? ""}`.trimEnd();
  }
  return "unknown";
}
