/**
 * Queries on the control socket, written to harm the agent.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { WireEvent } from "../../../mod/api/types/mod.ts";
import type { Random } from "../../../mod/base/mod.ts";
import {
  parseEventQuery,
  parseLogQuery,
  QueryError,
} from "../../../mod/server/mod.ts";
import { below, fuzz, many, pick } from "../../support/fuzz/fuzz.ts";
import { hostileText } from "../../support/fuzz/hostile_bytes.ts";

/** As many fields of an event as one query may look at. */
const MAX_LOOKS = 64;

function hostileQuery(random: Random): URLSearchParams {
  const names = [
    "watch",
    "resourceVersion",
    "fieldSelector",
    "namespace",
    "follow",
    "tailLines",
    "limitBytes",
    "sinceSeconds",
    "sinceTime",
    "timestamps",
  ] as const;
  return new URLSearchParams(many(below(random, 8), () => [
    random.next() < 0.9 ? pick(random, names) : hostileText(random, 50),
    pick(random, [
      "1",
      "true",
      "9".repeat(below(random, 40)),
      selector(random),
      hostileText(random, 3000),
    ]),
  ]));
}

function selector(random: Random): string {
  const term = () =>
    `${pick(random, ["type", "reason", "metadata.name", "__proto__"])}${
      pick(random, ["=", "==", "!=", "!", ""])
    }${hostileText(random, 20)}`;
  return many(below(random, random.next() < 0.2 ? 3000 : 5), term).join(",");
}

/** An event that counts how often it is looked at. */
function countedEvent(look: () => void): WireEvent {
  const event = {
    metadata: { name: "a", namespace: "default" },
    involvedObject: { kind: "Pod", name: "a", namespace: "default" },
    source: { component: "skerry" },
    type: "Normal",
    reason: "Started",
  };
  // Only what a query reads is there.
  return new Proxy(event, {
    get(target, name) {
      look();
      return Reflect.get(target, name);
    },
  }) as unknown as WireEvent;
}

fuzz(
  "parseEventQuery() makes a question that costs an event so many looks, or says why not in few words",
  {
    inputs: 800,
    run: ({ random }) => {
      const query = readOrRefuse(() =>
        parseEventQuery(hostileQuery(random), undefined)
      );
      if (query === undefined) return;
      let looks = 0;
      query.matches(countedEvent(() => looks++));
      ok(looks <= MAX_LOOKS, `${looks} looks`);
      ok((query.resourceVersion ?? "").length <= 15);
    },
  },
);

fuzz("parseLogQuery() reads a query, or says why not in few words", {
  inputs: 400,
  run: ({ random }) => {
    readOrRefuse(() => parseLogQuery(hostileQuery(random), 0));
  },
});

function readOrRefuse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    ok(error.message.length <= 1000, error.message.slice(0, 200));
    return undefined;
  }
}
