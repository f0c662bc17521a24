/**
 * The names of stop signals, on the wire and in a pod.
 *
 * They differ for real-time signals alone: `SIGRTMIN+1` here is `SIGRTMINPLUS1` there.
 *
 * @module
 */

import * as wire from "../../../proto/gen/runtime/v1/api.ts";

/** Whether a pod's name for a signal is one that the CRI has a number for. */
export function isStopSignal(name: string): boolean {
  return NUMBERS.has(name);
}

/** The number of a signal; that of the runtime's own choice for one without. */
export function stopSignalToWire(name: string | undefined): wire.Signal {
  return NUMBERS.get(name ?? "") ?? wire.Signal.RUNTIME_DEFAULT;
}

/** The name of a signal as a pod has it; `undefined` when the runtime names none. */
export function stopSignalFromWire(signal: wire.Signal): string | undefined {
  return NAMES.get(signal);
}

const NUMBERS: ReadonlyMap<string, wire.Signal> = new Map(
  Object.entries(wire.Signal)
    .filter(([, number]) => number !== wire.Signal.RUNTIME_DEFAULT)
    .map(([name, number]) => [
      name.replace("PLUS", "+").replace("MINUS", "-"),
      number,
    ]),
);

const NAMES: ReadonlyMap<wire.Signal, string> = new Map(
  Array.from(NUMBERS, ([name, number]) => [number, name]),
);
