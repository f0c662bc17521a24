/**
 * Agents, one after the other, that keep Secrets of a cluster on a disk in memory.
 *
 * @module
 */

import type { KeyedObject, LocalObject } from "../../../mod/api/objects/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { SourceContent } from "../../../mod/source/merge/mod.ts";
import type { Kept } from "../../../mod/source/mod.ts";
import type { SecretChoice } from "../../../mod/source/records/kept_secrets.ts";
import { DiskSetCheckpoint } from "../../../mod/source/records/source_checkpoint.ts";
import { type EventOfPod, eventsOfPodsTo } from "../event_list.ts";
import { FakeClock } from "../fake_clock.ts";
import { keyed } from "../keyed_objects.ts";
import { fieldsTo } from "../log_lines.ts";
import { FakeRecords } from "./fake_records.ts";
import { settingsMap, sourcePod } from "./source_pods.ts";

/** Where the key lies that the agent makes. */
export const MADE_KEY = "/state/secrets.key";

/** Where an operator has put one. */
export const GIVEN_KEY = "/usb/key";

/** Keys as a file has them. */
export const KEY_A: string = `${"A".repeat(43)}=\n`;
export const KEY_B: string = `${"B".repeat(42)}A=\n`;

/** What each agent of the rig does. */
export interface Keeping {
  readonly how: SecretChoice["how"];
  /** @default the one that is made */
  readonly keyFile?: string;
}

/** A disk, and what agents said that used it. */
export class KeptSecretsRig {
  readonly clock: FakeClock = new FakeClock();
  readonly disk: FakeRecords = new FakeRecords();
  readonly log: Record<string, unknown>[] = [];
  readonly events: EventOfPod[] = [];
  metrics: MetricsRegistry = new MetricsRegistry();

  /** The checkpoint of the next agent. */
  open({ how, keyFile = MADE_KEY }: Keeping): DiskSetCheckpoint {
    this.metrics = new MetricsRegistry();
    return new DiskSetCheckpoint({
      source: "api",
      origin: "o",
      directory: "/state/api",
      secretDirectory: "/run/api",
      secrets: { how, key: { path: keyFile, isMade: keyFile === MADE_KEY } },
    }, {
      clock: this.clock,
      metrics: this.metrics,
      log: fieldsTo(this.log, { clock: this.clock, level: "debug" }),
      events: eventsOfPodsTo(this.events),
      files: this.disk,
    });
  }

  /** Has an agent keep a set, and ends it. */
  async save(keeping: Keeping, content: SourceContent): Promise<void> {
    const checkpoint = this.open(keeping);
    checkpoint.save(content);
    await checkpoint.run(AbortSignal.abort());
  }

  /** What the next agent finds; what it writes because of it is written. */
  async load(keeping: Keeping): Promise<Kept<SourceContent>> {
    const checkpoint = this.open(keeping);
    const kept = await checkpoint.load();
    await checkpoint.run(AbortSignal.abort());
    return kept;
  }

  /** The values of the Secrets that the next agent finds, by name. */
  async secrets(keeping: Keeping): Promise<Record<string, string>> {
    const kept = await this.load(keeping);
    if (kept.kind !== "present") return {};
    return Object.fromEntries(kept.content.objects.flatMap(valuesOf));
  }

  /** The machine starts anew: what is in memory is gone. */
  reboot(): void {
    for (const path of this.disk.files.keys()) {
      if (path.startsWith("/run/")) this.disk.files.delete(path);
    }
  }

  /** All that is on the disk and outlives a reboot, but for the key. */
  onDisk(): string {
    return this.disk.namesIn("/state/api")
      .map((name) => this.disk.files.get(`/state/api/${name}`)).join("\n");
  }

  /** How often something was written that outlives a reboot. */
  writes(): number {
    return this.disk.calls.filter((call) => call.startsWith("write /state"))
      .length;
  }

  messages(): readonly unknown[] {
    return this.log.map(({ message }) => message);
  }
}

/** A Secret with one value. */
export function password(value: string, name = "login"): KeyedObject {
  return keyed("Secret", name, { key: value }, { namespace: "default" });
}

/** The token of a pod. */
export function podToken(value: string, uid = "uid-web"): KeyedObject {
  return keyed("Secret", `token/${uid}/3600/`, { token: value }, {
    namespace: "default",
  });
}

/** A pod, its settings, and these Secrets. */
export function secretSet(
  secrets: readonly LocalObject[],
  image = "a",
): SourceContent {
  return {
    pods: [sourcePod({ image })],
    objects: [settingsMap(), ...secrets],
    workloads: [],
  };
}

function valuesOf(object: LocalObject): (readonly [string, string])[] {
  if (object.kind !== "Secret") return [];
  return [...object.entries.values()].map((bytes) => [
    object.name,
    new TextDecoder().decode(bytes),
  ]);
}
