/**
 * That no reason for which a pod waits is without a sentence of its own.
 *
 * The reasons are read from the code that gives them, so that a new one fails here
 * until it has a sentence, or a line among those that keep no pod from running.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import {
  explainedReasons,
  explainedRefusals,
} from "../../../mod/explain/mod.ts";

/** Where the reasons of failures, waiting and refusals are given. */
const FOLDERS = ["agent", "pod", "runtime", "volume"];

const REASON =
  /\breason(?:: | = )\s*"([A-Z]\w+)"|\b[A-Z_]+ = "([A-Z][a-z]+[A-Z]\w+)"|\b(?:predicateFailed)\(\s*"(\w+)"|"([A-Z][a-z]+\w*(?:Error|BackOff|Pull|Failed|Creating|Initializing|Unavailable|Unsupported|NotSupported|Forbidden))"/g;

/** Reasons of events and conditions, of ends, and of states that are told otherwise. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set([
  // Events about what goes on.
  "AlreadyMountedVolume",
  "InspectFailed",
  "DNSConfigForming",
  "FailedCheckpoint",
  "FailedValidation",
  "MissingClusterDNS",
  "PodChangeIgnored",
  "ResizeCompleted",
  "ResizeStarted",
  "RollbackImpossible",
  "ExceededGracePeriod",
  "FailedMakePodDataDirectories",
  // Told by who has the name.
  "NameTaken",
  // Told of a pod that ends (explain_ending.ts).
  "FailedKillPod",
  // Conditions, told by what they mean (explain_health.ts).
  "Deferred",
  "Infeasible",
  "PodCompleted",
  "PodFailed",
  "ReadinessGatesNotReady",
  "RestartAllContainersStarted",
  "RolledBack",
  "TerminationByKubelet",
  "UnknownContainerStatuses",
  // How containers and pods ended (explain_exit.ts, explain_ending.ts).
  "Completed",
  "ContainerStatusUnknown",
  "DeadlineExceeded",
  "Error",
  // A policy of the API.
  "FallbackToLogsOnError",
  // Events beside failures that have another reason.
  "FailedCreatePodContainer",
  "ResizeError",
]);

async function givenReasons(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const folder of FOLDERS) {
    for await (const path of sourcesBelow(`mod/${folder}`)) {
      const text = await Deno.readTextFile(path);
      for (const [, ...groups] of text.matchAll(REASON)) {
        const reason = groups.find((group) => group !== undefined);
        if (reason !== undefined) found.set(reason, path);
      }
    }
  }
  return found;
}

Deno.test("explainPod() has a sentence for every reason that the agent gives", async () => {
  const given = await givenReasons();
  for (
    const reason of [
      "ContainerCreating",
      "CrashLoopBackOff",
      "ErrImagePull",
      "FailedMount",
      "KillContainerError",
      "NodePorts",
      "RegistryUnavailable",
    ]
  ) {
    ok(given.has(reason), `"${reason}" is not found any more`);
  }
  const explained = new Set([...explainedReasons(), ...explainedRefusals()]);
  const without = [...given].filter(([reason]) =>
    !explained.has(reason) && !TOLD_OTHERWISE.has(reason)
  );
  deepStrictEqual(without, []);
});

async function* sourcesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourcesBelow(path);
    else if (name.endsWith(".ts")) yield path;
  }
}
