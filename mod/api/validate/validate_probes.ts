/**
 * Checks probes and lifecycle hooks.
 *
 * @module
 */

import {
  checkEnum,
  checkOneOf,
  checkRange,
  checkShape,
  requireShape,
} from "./checks.ts";
import { httpHeaderProblem, portNameProblem, portProblem } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type {
  ContainerSpec,
  LifecycleHandler,
  PodSpec,
  Probe,
} from "../types/mod.ts";

/** Reports what is wrong with a container's probes. */
export function validateProbes(container: ContainerSpec, at: Place): void {
  for (
    const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const
  ) {
    const probe = container[name];
    if (probe === undefined) continue;
    const place = at.child(name);
    checkOneOf(probe, { of: "handler type", ignore: PROBE_NUMBERS }, place);
    validateNumbers(probe, place, { isReadiness: name === "readinessProbe" });
    validateHandler(probe, place, container);
    if (probe.grpc !== undefined) {
      checkPort(probe.grpc.port, place.child("grpc").child("port"), container);
    }
  }
}

/** Reports what is wrong with a container's hooks and stop signal. */
export function validateLifecycle(
  container: ContainerSpec,
  at: Place,
  spec: PodSpec,
): void {
  const { lifecycle } = container;
  if (lifecycle === undefined) return;
  for (const name of ["postStart", "preStop"] as const) {
    const handler = lifecycle[name];
    if (handler === undefined) continue;
    const place = at.child("lifecycle").child(name);
    checkOneOf(handler, { of: "handler type" }, place);
    validateHandler(handler, place, container);
    const max = spec.terminationGracePeriodSeconds ?? 30;
    checkRange(
      handler.sleep?.seconds,
      { min: 0, max },
      place.child("sleep").child("seconds"),
    );
  }
  const { stopSignal } = lifecycle;
  if (stopSignal === undefined) return;
  const place = at.child("lifecycle").child("stopSignal");
  if (spec.os?.name === undefined) {
    place.forbidden("may only be set when `spec.os.name` is");
  }
  checkShape(stopSignal, signalProblem, place);
  if (spec.os?.name === "windows") {
    checkEnum(stopSignal, ["SIGKILL", "SIGTERM"], place);
  }
}

const PROBE_NUMBERS = [
  "failureThreshold",
  "initialDelaySeconds",
  "periodSeconds",
  "successThreshold",
  "terminationGracePeriodSeconds",
  "timeoutSeconds",
] as const;

function validateNumbers(
  probe: Probe,
  at: Place,
  options: { readonly isReadiness: boolean },
): void {
  for (const name of PROBE_NUMBERS) {
    if (name === "terminationGracePeriodSeconds") continue;
    checkRange(probe[name], { min: 0 }, at.child(name));
  }
  const { successThreshold = 1, terminationGracePeriodSeconds: grace } = probe;
  if (!options.isReadiness && successThreshold !== 1) {
    at.child("successThreshold").invalid(successThreshold, "must be 1");
  }
  if (grace === undefined) return;
  const place = at.child("terminationGracePeriodSeconds");
  if (options.isReadiness) {
    place.invalid(grace, "must not be set for readinessProbes");
  } else checkRange(grace, { min: 1 }, place);
}

function validateHandler(
  handler: LifecycleHandler,
  at: Place,
  container: ContainerSpec,
): void {
  const { exec, httpGet, tcpSocket } = handler;
  if (exec !== undefined && (exec.command ?? []).length === 0) {
    at.child("exec").child("command").required();
  }
  if (tcpSocket !== undefined) {
    checkPort(tcpSocket.port, at.child("tcpSocket").child("port"), container);
  }
  if (httpGet === undefined) return;
  const place = at.child("httpGet");
  checkPort(httpGet.port, place.child("port"), container);
  checkEnum(httpGet.scheme, ["HTTP", "HTTPS"], place.child("scheme"));
  for (const [i, header] of (httpGet.httpHeaders ?? []).entries()) {
    const name = place.child("httpHeaders").index(i).child("name");
    requireShape(header.name, httpHeaderProblem, name);
  }
}

function checkPort(
  port: number | string | undefined,
  at: Place,
  container: ContainerSpec,
): void {
  if (port === undefined || port === "") {
    at.required();
  } else if (typeof port === "number") {
    const problem = portProblem(port);
    if (problem !== undefined) at.invalid(port, problem);
  } else {
    const problem = portNameProblem(port);
    if (problem !== undefined) at.invalid(port, problem);
    // Taken by the API server, and found out by the kubelet each time it asks.
    else if (!container.ports?.some((one) => one.name === port)) {
      at.warn("No port of this container has that name: nothing can be asked");
    }
  }
}

function signalProblem(signal: string): string | undefined {
  return SIGNALS.has(signal)
    ? undefined
    : "must be the name of a signal, such as SIGTERM";
}

/** What the API takes: the signals of Linux, and the real-time ones counted from both ends. */
const SIGNALS: ReadonlySet<string> = new Set([
  ...("ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF " +
    "PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 " +
    "VTALRM WINCH XCPU XFSZ RTMIN RTMAX").split(" ").map((name) =>
      `SIG${name}`
    ),
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
]);
