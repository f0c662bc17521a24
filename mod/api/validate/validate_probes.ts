/**
 * Checks probes and lifecycle hooks.
 *
 * @module
 */

import {
  type Check,
  checkFields,
  checkOneOf,
  each,
  type FieldChecks,
  fields,
  oneOf,
  optional,
  range,
  required,
  shape,
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
  checkFields(container, at, PROBES);
  for (
    const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const
  ) {
    const probe = container[name];
    if (probe !== undefined) warnOfPorts(probe, at.child(name), container);
  }
}

/** A check of a container's hooks and stop signal, for all containers of a pod. */
export function lifecycleChecks(
  spec: PodSpec,
): NonNullable<FieldChecks<ContainerSpec>["lifecycle"]> {
  const seconds = range(0, spec.terminationGracePeriodSeconds ?? 30);
  const hook = oneHandler<LifecycleHandler>({
    ...HANDLERS,
    sleep: fields({ seconds }),
  });
  const check = fields<NonNullable<ContainerSpec["lifecycle"]>>({
    postStart: hook,
    preStop: hook,
    stopSignal: optional((signal: string, at) => {
      const os = spec.os?.name;
      if (os === undefined) {
        at.forbidden("may only be set when `spec.os.name` is");
      }
      SIGNAL(signal, at);
      if (os === "windows") WINDOWS_SIGNAL(signal, at);
    }),
  });
  return (lifecycle, at, container) => {
    check(lifecycle, at);
    for (const name of ["postStart", "preStop"] as const) {
      const handler = lifecycle?.[name];
      if (handler !== undefined) {
        warnOfPorts(handler, at.child(name), container);
      }
    }
  };
}

const NUMBER = range(0);
const NUMBERS = {
  failureThreshold: NUMBER,
  initialDelaySeconds: NUMBER,
  periodSeconds: NUMBER,
  successThreshold: NUMBER,
  timeoutSeconds: NUMBER,
};
const PROBE_NUMBERS = [
  ...Object.keys(NUMBERS),
  "terminationGracePeriodSeconds",
];

/** What has one handler beside fields that are none. */
function oneHandler<T extends object>(
  checks: FieldChecks<NoInfer<T>>,
  ignore: readonly string[] = [],
): Check<T | undefined> {
  return optional<T>((value, at) => {
    checkOneOf(value, { of: "handler type", ignore }, at);
    checkFields<T>(value, at, checks);
  });
}

/** A port by its number or its name. */
function checkPort(port: number | string | undefined, at: Place): void {
  if (port === undefined || port === "") return at.required();
  const problem = typeof port === "number"
    ? portProblem(port)
    : portNameProblem(port);
  if (problem !== undefined) at.invalid(port, problem);
}

type Handlers = Pick<LifecycleHandler, "exec" | "tcpSocket" | "httpGet">;

const HANDLERS: FieldChecks<Handlers> = {
  exec: fields({
    command: (words, at) => {
      if (!words?.length) at.required();
    },
  }),
  tcpSocket: fields({ port: checkPort }),
  httpGet: fields({
    port: checkPort,
    scheme: oneOf("HTTP", "HTTPS"),
    httpHeaders: each(fields({ name: required(shape(httpHeaderProblem)) })),
  }),
};

const PROBE: FieldChecks<Probe> = {
  ...HANDLERS,
  grpc: fields({ port: checkPort }),
};
const ENDING = oneHandler<Probe>({
  ...NUMBERS,
  successThreshold: (count, at) => {
    NUMBER(count, at);
    if (count !== undefined && count !== 1) at.invalid(count, "must be 1");
  },
  terminationGracePeriodSeconds: range(1),
  ...PROBE,
}, PROBE_NUMBERS);
const PROBES: FieldChecks<ContainerSpec> = {
  livenessProbe: ENDING,
  readinessProbe: oneHandler<Probe>({
    ...NUMBERS,
    terminationGracePeriodSeconds: optional((grace: number, at) =>
      at.invalid(grace, "must not be set for readinessProbes")
    ),
    ...PROBE,
  }, PROBE_NUMBERS),
  startupProbe: ENDING,
};

/**
 * Warns of names that no port of the container has: taken by the API server, and found
 * out by the kubelet each time it asks.
 */
function warnOfPorts(
  handlers: Handlers,
  at: Place,
  { ports = [] }: ContainerSpec,
): void {
  for (const kind of ["tcpSocket", "httpGet"] as const) {
    const port = handlers[kind]?.port;
    if (typeof port !== "string" || port === "") continue;
    if (portNameProblem(port) !== undefined) continue;
    if (ports.some(({ name }) => name === port)) continue;
    at.child(kind).child("port").warn(
      "No port of this container has that name: nothing can be asked",
    );
  }
}

const SIGNAL = shape((signal) =>
  SIGNALS.has(signal)
    ? undefined
    : "must be the name of a signal, such as SIGTERM"
);
const WINDOWS_SIGNAL = oneOf("SIGKILL", "SIGTERM");

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
