/**
 * The second configuration document: what the kubelet has no field for.
 *
 * @module
 */

import {
  choice,
  durationMs,
  givenPath,
  hugePageSize,
  integer,
  ipAddresses,
  labels,
  listOf,
  nodeName,
  path,
  podNetwork,
} from "./decoders.ts";
import { type Field, field } from "./field.ts";

const HONOURED = { treatment: "honoured" } as const;

/** The whole of `SkerryConfiguration` of `skerry.dev/v1alpha1`. */
export const SKERRY_FIELDS: readonly Field[] = [
  field("rootDir", path, "/var/lib/skerry", HONOURED),
  field("runDir", path, undefined, HONOURED),
  field("controlSocket", path, undefined, HONOURED),
  field("hostnameOverride", nodeName, undefined, HONOURED),
  field("nodeIP", ipAddresses, undefined, HONOURED),
  field("nodeLabels", labels, undefined, HONOURED),
  field("podNetworks", listOf(podNetwork), undefined, HONOURED),
  field("relistPeriod", durationMs, "1s", HONOURED),
  field("maxParallelSandboxStarts", integer(1, 1000), 6, HONOURED),
  field("logFormat", choice(["text", "json"]), undefined, HONOURED),
  field(
    "logLevel",
    choice(["debug", "info", "warn", "error"]),
    "info",
    HONOURED,
  ),
  field("hostPathRoots", listOf(givenPath), undefined, HONOURED),
  field("hostView", path, undefined, HONOURED),
  field("hugePageSizes", listOf(hugePageSize), undefined, HONOURED),
  field("manifestFiles", choice(["yaml", "kubelet"]), "yaml", HONOURED),
  field("staticPodURLCAFile", path, undefined, HONOURED),
  field("staticPodURLCertFile", path, undefined, HONOURED),
  field("staticPodURLKeyFile", path, undefined, HONOURED),
  field("staticPodURLPublicKeys", listOf(givenPath), undefined, HONOURED),
  field("unknownFields", choice(["refuse", "warn"]), "refuse", HONOURED),
];
