/**
 * The calls over gRPC that this process has made and that are not answered yet.
 *
 * @module
 */

import { Client } from "@grpc/grpc-js";

const UNDER_WAY = new Map<string, number>();
let isCounted = false;

/** How many calls to the server on the socket at `path` wait for their answer. */
export function callsUnderWay(path: string): number {
  return UNDER_WAY.get(`unix:${path}`) ?? 0;
}

/** Counts every call of this process from now on. */
export function countCalls(): void {
  if (isCounted) return;
  isCounted = true;
  const make = Client.prototype.makeUnaryRequest;
  Reflect.set(
    Client.prototype,
    "makeUnaryRequest",
    function (this: Client, ...args: unknown[]): unknown {
      const target = this.getChannel().getTarget();
      const answered = args.pop();
      if (typeof answered !== "function") {
        throw new TypeError("Cannot count a call: wanted a callback");
      }
      count(target, 1);
      const told = (...answer: unknown[]): void => {
        count(target, -1);
        answered(...answer);
      };
      return Reflect.apply(make, this, [...args, told]);
    },
  );
}

function count(target: string, change: 1 | -1): void {
  UNDER_WAY.set(target, (UNDER_WAY.get(target) ?? 0) + change);
}
