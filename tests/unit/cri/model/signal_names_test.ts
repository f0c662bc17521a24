/**
 * The names of stop signals.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { Signal } from "../../../../proto/gen/runtime/v1/api.ts";
import {
  isStopSignal,
  stopSignalFromWire,
  stopSignalToWire,
} from "../../../../mod/cri/model/signal_names.ts";

const ROWS: readonly [string, number][] = [
  ["SIGTERM", Signal.SIGTERM],
  ["SIGQUIT", Signal.SIGQUIT],
  ["SIGRTMIN", Signal.SIGRTMIN],
  ["SIGRTMIN+3", Signal.SIGRTMINPLUS3],
  ["SIGRTMAX-14", Signal.SIGRTMAXMINUS14],
  ["SIGRTMAX", Signal.SIGRTMAX],
];

for (const [name, number] of ROWS) {
  Deno.test(`stopSignalToWire() and stopSignalFromWire() translate ${name}`, () => {
    strictEqual(isStopSignal(name), true);
    const wire = stopSignalToWire(name);
    strictEqual(wire, number);
    strictEqual(stopSignalFromWire(wire), name);
  });
}

Deno.test("stopSignalToWire() leaves the choice to the runtime without a name", () => {
  strictEqual(stopSignalToWire(undefined), Signal.RUNTIME_DEFAULT);
  strictEqual(stopSignalFromWire(Signal.RUNTIME_DEFAULT), undefined);
});

for (const name of ["", "SIGFOO", "TERM", "RUNTIME_DEFAULT", "SIGRTMINPLUS3"]) {
  Deno.test(`isStopSignal() does not know "${name}"`, () => {
    strictEqual(isStopSignal(name), false);
  });
}
