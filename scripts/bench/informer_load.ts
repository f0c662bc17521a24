/**
 * The work of an informer, to be measured in a process of its own: a list of so many pods,
 * two changes of each, three handlers. Prints what that took as JSON.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script whose purpose is to print

import process from "node:process";
import type {
  ListerWatcher,
  ObjectList,
  WatchEvent,
} from "../../mod/api/access/mod.ts";
import type { ApiObject } from "../../mod/api/workload/mod.ts";
import { systemClock, systemRandom } from "../../mod/base/mod.ts";
import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import {
  SharedInformerFactory,
  WatchedKind,
} from "../../mod/informer/shared/mod.ts";

const CHANGES = 2;
const HANDLERS = 3;

function pod(at: number, version: number): ApiObject {
  return JSON.parse(
    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-${at}","namespace":"shop",` +
      `"uid":"uid-${at}","resourceVersion":"${version}",` +
      `"labels":{"app":"web","at":"${at}"}},"spec":{"containers":[{"name":"web",` +
      `"image":"busybox:1.${version}","command":["sleep","3600"],` +
      `"env":[{"name":"AT","value":"${at}"}]}]},"status":{"phase":"Running",` +
      `"podIP":"10.0.0.${
        at % 250
      }","conditions":[{"type":"Ready","status":"True"}]}}`,
  );
}

/** Gives its list once, and then every change. */
class Load implements ListerWatcher<ApiObject> {
  readonly #count: number;
  #items: ApiObject[] | undefined;

  constructor(count: number) {
    this.#count = count;
    this.#items = Array.from({ length: count }, (_, at) => pod(at, 1));
  }

  list(): Promise<ObjectList<ApiObject>> {
    const items = this.#items ?? [];
    this.#items = undefined;
    return Promise.resolve({ items, resourceVersion: "1" });
  }

  watch(): Promise<AsyncIterable<WatchEvent<ApiObject>>> {
    return Promise.resolve(this.#changes());
  }

  async *#changes(): AsyncGenerator<WatchEvent<ApiObject>> {
    let version = 1;
    for (let round = 0; round < CHANGES; round++) {
      for (let at = 0; at < this.#count; at++) {
        version++;
        yield { type: "MODIFIED", object: pod(at, version) };
      }
    }
    await new Promise(() => {});
  }
}

/** What the heap holds. */
function heapBytes(): number {
  const collect: unknown = Reflect.get(globalThis, "gc");
  if (typeof collect === "function") collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function main(count: number): Promise<void> {
  const base = heapBytes();
  const factory = new SharedInformerFactory({
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  }, { streams: false });
  const kind = new WatchedKind(
    { apiVersion: "v1", kind: "Pod" },
    new Load(count),
  );
  const informer = factory.informer(kind);
  const all = HANDLERS * count * (CHANGES + 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  let told = 0;
  for (let at = 0; at < HANDLERS; at++) {
    informer.addHandler(() => {
      if (++told === all) resolve();
    }, { name: `${at}` });
  }
  const began = performance.now();
  void factory.run(new AbortController().signal);
  await promise;
  const ms = Math.round(performance.now() - began);
  console.log(JSON.stringify({ ms, bytes: heapBytes() - base }));
  Deno.exit(0);
}

if (import.meta.main) await main(Number(Deno.args[0]));
