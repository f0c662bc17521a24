/**
 * Stories of a node whose API server has every fault, told by a seed.
 *
 * @module
 */

import { isRecord, type Random } from "../../../mod/base/mod.ts";
import { WEB, web } from "../agent/manifests.ts";
import { seededRandom } from "../seeded_random.ts";
import { isSameJson } from "./same_json.ts";
import {
  joinedContainerOf,
  mirrorPath,
  pathOf,
  ScriptedNode,
} from "./scripted_node.ts";
import type { RequestFault, RequestMatch } from "./request_fault.ts";

/** How long nothing happens between two turns of a story, at most. */
const LONGEST_PAUSE_MS = 20_000;

/** After so much time without a fault all is as it should be. */
const CALM_MS = 180_000;

const NAMES = ["a", "b", "c", "d"];

/**
 * One story: pods come, crash and go, the agent is ended, and the server has faults. In the
 * end nothing has, and then all is as the server says: what it has runs, and is told as it
 * is; what it has not is gone; and no container was made anew but for one that had ended.
 * That none ran twice (I1) the rig itself sees to.
 */
export class JoinedStory {
  /** What has happened, for whoever reads of a story that ended badly. */
  readonly told: string[] = [];
  readonly #core: ScriptedNode;
  readonly #random: Random;
  /** By UID: how often its container was ended from outside. */
  readonly #crashes = new Map<string, number>();
  #changes = 0;

  constructor(core: ScriptedNode, seed: number) {
    this.#core = core;
    this.#random = seededRandom(seed);
  }

  /** Tells a story of so many turns, and checks how it ends. */
  static async tell(seed: number, turns: number): Promise<void> {
    await using core = await ScriptedNode.start();
    const story = new JoinedStory(core, seed);
    try {
      await core.rig.apply("static", web({ name: "static" }));
      core.config("conf", { word: "0" });
      core.rig.fake.behave("b", { onTerm: "ignore" });
      for (let turn = 0; turn < turns; turn++) await story.#turn();
      await story.#end();
    } catch (error) {
      const told = story.told.join("\n");
      throw new Error(`Seed ${seed}:\n${told}`, { cause: error });
    }
  }

  /** Does something, and lets a while pass. */
  async #turn(): Promise<void> {
    const action = this.#pick(this.#actions());
    const atS = Math.round(this.#core.clock.monotonic() / 100) / 10;
    const what = await action();
    if (what !== undefined) this.told.push(`${atS} s: ${what}`);
    const pauseMs = this.#pick([0, 300, 2_000, LONGEST_PAUSE_MS]);
    await this.#core.rig.pass(Math.round(this.#random.next() * pauseMs));
  }

  #actions(): readonly (() => string | undefined | Promise<string>)[] {
    const { api, clock, rig } = this.#core;
    const network = [
      () => this.#said("cut", api.cutAll()),
      () => this.#said("freeze", api.freeze()),
      () => this.#said("thaw", api.thaw()),
      async () => this.#said("shut", await api.shut()),
      async () => this.#said("reopen", await api.reopen()),
      () => this.#said("watches end", api.endWatches()),
      () => this.#said("compact", api.objects.compact()),
      () => this.#said("bookmark", api.bookmark()),
      () => this.#said("garbage", api.say("{garbage")),
    ];
    const pods = [
      () => this.#make(),
      () => this.#make(),
      () => this.#delete(),
      () => this.#replace(),
      () => this.#crash(),
      () => this.#touch(),
      () => this.#scribble(),
    ];
    const fault = () => this.#fault();
    return [
      ...network,
      ...[...pods, ...pods],
      ...[fault, fault, fault, fault, fault, fault],
      async () => this.#said("restart", await rig.restartAgent()),
      async () => {
        await rig.stopAgent();
        // What happens meanwhile, the next agent has to find out.
        for (let times = 0; times < 3; times++) {
          const what = [() => this.#delete(), () => this.#replace()];
          this.told.push(`while it is down: ${this.#pick(what)()}`);
        }
        await clock.advance(30_000);
        return this.#said("start", await rig.startAgent());
      },
      () => {
        clock.wall = clock.now() +
          this.#pick([-86_400_000, -60_000, 3_600_000]);
        return "set the clock";
      },
      () => {
        this.#core.config("conf", { word: `${++this.#changes}` });
        return `config ${this.#changes}`;
      },
    ];
  }

  #make(): string | undefined {
    const core = this.#core;
    const name = this.#pick(NAMES);
    if (core.pods().has(name)) return undefined;
    const volume = { name: "v", configMap: { name: "conf" } };
    const probe = {
      exec: { command: ["true"] },
      periodSeconds: 5,
      failureThreshold: 3,
    };
    const spec = this.#pick([
      {},
      {
        volumes: [volume],
        containers: [
          joinedContainerOf(name, {
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          }),
        ],
      },
      {
        containers: [joinedContainerOf(name, { readinessProbe: probe })],
      },
    ]);
    const uid = core.make(name, spec);
    return `make ${name} ${uid} ${Object.keys(spec)}`;
  }

  #delete(): string | undefined {
    const name = this.#someName();
    if (name === undefined) return undefined;
    const grace = this.#pick([0, 1, 10, 30]);
    this.#core.delete(name, grace);
    return `delete ${name} in ${grace}`;
  }

  #replace(): string | undefined {
    const name = this.#someName();
    if (name === undefined) return undefined;
    this.#core.delete(name, 0);
    return `replace ${name} by ${this.#core.make(name)}`;
  }

  #crash(): string | undefined {
    const running = [...this.#core.running()];
    if (running.length === 0) return undefined;
    const [key, { id }] = this.#pick(running);
    this.#core.rig.fake.exitContainer(id, 1);
    this.#crashes.set(key, (this.#crashes.get(key) ?? 0) + 1);
    return `crash ${key}`;
  }

  /** A label changes, which is no reason to do anything. */
  #touch(): string | undefined {
    const name = this.#someName();
    if (name === undefined) return undefined;
    const labels = { turn: `${++this.#changes}` };
    this.#core.api.objects.patch(pathOf("pods", name), (object) => {
      const fields = isRecord(object) ? object : {};
      const meta = isRecord(fields["metadata"]) ? fields["metadata"] : {};
      return { ...fields, metadata: { ...meta, labels } };
    });
    return `touch ${name}`;
  }

  /** Somebody deletes a mirror, or writes over a status. */
  #scribble(): string | undefined {
    const { objects } = this.#core.api;
    const [mirror] = objects.list(mirrorPath());
    const name = this.#someName();
    if (mirror !== undefined && this.#random.next() < .5) {
      objects.delete(mirrorPath(mirror.metadata.name), {
        gracePeriodSeconds: 0,
      });
      return "delete the mirror";
    }
    if (name === undefined) return undefined;
    objects.patch({ ...pathOf("pods", name), subresource: "status" }, (pod) => {
      const fields = isRecord(pod) ? pod : {};
      const status = isRecord(fields["status"]) ? fields["status"] : {};
      return { ...fields, status: { ...status, phase: "Pending" } };
    });
    return `scribble ${name}`;
  }

  #fault(): string {
    const match = this.#pick(MATCHES);
    const fault = this.#pick(FAULTS);
    const times = 1 + Math.floor(this.#random.next() * 6);
    this.#core.api.fail({ ...match, times }, fault);
    const at = `${match.method ?? ""} ${match.path ?? ""} ${match.isWatch}`;
    return `fault ${at} ×${times} ${JSON.stringify(fault).slice(0, 90)}`;
  }

  /** All faults end; then all is to become what it should be. */
  async #end(): Promise<void> {
    const { api, rig } = this.#core;
    this.told.push(`${this.#core.clock.monotonic() / 1_000} s: the end`);
    api.faults.clear();
    api.thaw();
    await api.reopen();
    // Watches that were to disturb what they say, or to say nothing, would do so for minutes.
    api.cutAll();
    let wrong: readonly string[] = [];
    try {
      await rig.until(
        () => (wrong = this.#wrong()).length === 0,
        "all to be well",
        { stepMs: 1_000, limitMs: CALM_MS },
      );
      // And it stays so.
      const calls = rig.fake.calls.length;
      await rig.pass(60_000);
      wrong = [...this.#wrong(), ...rig.mutations(calls)];
    } catch (error) {
      throw new Error(wrong.join("\n"), { cause: error });
    }
    if (wrong.length > 0) throw new Error(`Later: ${wrong.join("\n")}`);
    const twice = this.#createdTooOften();
    if (twice.length > 0) throw new Error(`Replaced: ${twice.join("\n")}`);
  }

  #wrong(): readonly string[] {
    const core = this.#core;
    const wrong: string[] = [];
    const bound = new Set<string>();
    for (const [name, pod] of core.pods()) {
      const { uid } = pod.metadata;
      bound.add(uid);
      if (pod.metadata["deletionTimestamp"]) wrong.push(`${name} is not gone`);
      if (!core.running().has(`${uid}/${name}`)) wrong.push(`${name} is down`);
      const own = core.rig.core.statuses.get(uid);
      const { observedGeneration: _, ...shown } = core.shown(name);
      for (const key of ["phase", "containerStatuses", "podIP"] as const) {
        if (isSameJson(shown[key], own?.[key])) continue;
        wrong.push(
          `${name} ${key}: ${JSON.stringify(shown[key])} ≠ ${
            JSON.stringify(own?.[key])
          }`,
        );
      }
    }
    const mirrors = core.api.objects.list(mirrorPath());
    if (mirrors.length !== 1) wrong.push(`${mirrors.length} mirrors`);
    const running = [...core.running().values()];
    if (running.every(({ name }) => name !== WEB)) wrong.push("static is down");
    for (const key of core.running().keys()) {
      const [uid = "", name] = key.split("/");
      if (name !== WEB && !bound.has(uid)) wrong.push(`${key} runs on`);
    }
    const ready = core.rig.ready().length;
    if (ready !== bound.size + 1) wrong.push(`${ready} sandboxes`);
    return wrong;
  }

  /** Containers that were made anew although nobody had ended them (I2). */
  #createdTooOften(): readonly string[] {
    const { fake } = this.#core.rig;
    const made = new Map<string, number>();
    for (const { request } of fake.callsOf("CreateContainer")) {
      const { sandboxConfig, config } = request as {
        sandboxConfig?: { metadata?: { uid: string } };
        config?: { metadata?: { name: string } };
      };
      const key = `${sandboxConfig?.metadata?.uid}/${config?.metadata?.name}`;
      made.set(key, (made.get(key) ?? 0) + 1);
    }
    return [...made].filter(([key, times]) =>
      times > 1 + (this.#crashes.get(key) ?? 0)
    ).map(([key, times]) => `${key} ×${times}`);
  }

  #someName(): string | undefined {
    const names = [...this.#core.pods().keys()];
    return names.length === 0 ? undefined : this.#pick(names);
  }

  #pick<T>(from: readonly T[]): T {
    const found = from[Math.floor(this.#random.next() * from.length)];
    if (found === undefined) throw new Error("Wanted something to pick from");
    return found;
  }

  #said(what: string, _done: void): string {
    return what;
  }
}

function refusal(code: number, reason: string): RequestFault {
  return { kind: "refuse", code, reason };
}

const OLD_BOOKMARK = JSON.stringify({
  type: "BOOKMARK",
  object: {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      resourceVersion: "100",
      annotations: { "k8s.io/initial-events-end": "true" },
    },
  },
});

const FAULTS: readonly RequestFault[] = [
  refusal(401, "Unauthorized"),
  refusal(403, "Forbidden"),
  refusal(404, "NotFound"),
  refusal(409, "Conflict"),
  refusal(410, "Expired"),
  { ...refusal(429, "TooManyRequests"), retryAfterSeconds: 2 } as RequestFault,
  refusal(500, "InternalError"),
  refusal(503, "ServiceUnavailable"),
  { kind: "cut" },
  { kind: "stall" },
  { kind: "break", by: "cut" },
  { kind: "break", by: "stall" },
  { kind: "break", by: "cut", afterBytes: 300 },
  { kind: "break", by: "stall", afterBytes: 300 },
  { kind: "say", text: "{garbage" },
  { kind: "say", text: "{}" },
  { kind: "say", text: '{"kind":"Node","apiVersion":"v1","metadata":{}}' },
  // As of a server that was restored from a time before there was any pod.
  { kind: "say", text: `${OLD_BOOKMARK}\n` },
  {
    kind: "say",
    text:
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[]}',
  },
  { kind: "repeat_events" },
  { kind: "swap_events" },
];

const MATCHES: readonly RequestMatch[] = [
  {},
  { isWatch: true },
  { isWatch: true, path: /\/pods\?/ },
  { isWatch: false, path: /\/pods\?/ },
  { isWatch: true, path: /\/configmaps\?/ },
  { method: "PATCH", path: /\/pods\// },
  { method: "DELETE" },
  { method: "PUT" },
  { path: /\/leases/ },
  { path: /\/nodes/ },
  { method: "POST" },
];
