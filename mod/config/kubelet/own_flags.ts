/**
 * The kubelet's flags that stand for no field of its configuration.
 *
 * @module
 */

import type { FlagForm, FlagMeaning, KubeletFlag } from "./kubelet_flag.ts";

const CADVISOR = "there is no cAdvisor in the agent";
const NO_PROGRAMS =
  "the agent starts no programs; a service is asked by --image-credential-endpoint";
const LOCKED = "the agent locks its root directory itself";

/** Flags of `skerry run` that bear the same name. */
const SETTINGS: readonly string[] = [
  "bootstrap-kubeconfig",
  "cert-dir",
  "hostname-override",
  "kubeconfig",
  "maximum-dead-containers",
  "maximum-dead-containers-per-container",
  "minimum-container-ttl-duration",
  "node-ip",
  "node-labels",
  "root-dir",
];

const INERT: readonly (readonly [string, FlagForm, string])[] = [
  ["exit-on-lock-contention", "switch", LOCKED],
  ["lock-file", "text", LOCKED],
  [
    "experimental-allocatable-ignore-eviction",
    "switch",
    "thresholds are not taken from what pods may have",
  ],
  ["experimental-mounter-path", "text", "the agent mounts nothing"],
  ["image-credential-provider-bin-dir", "text", NO_PROGRAMS],
  ["image-credential-provider-config", "text", NO_PROGRAMS],
  [
    "pod-infra-container-image",
    "text",
    "the runtime's own configuration names the image of sandboxes",
  ],
  ["runtime-cgroups", "text", "the agent does not measure the runtime"],
  ["vmodule", "text", "the log has one level for all parts"],
  ["application-metrics-count-limit", "number", CADVISOR],
  ["boot-id-file", "text", CADVISOR],
  ["container-hints", "text", CADVISOR],
  ["containerd", "text", CADVISOR],
  ["containerd-namespace", "text", CADVISOR],
  ["enable-load-reader", "switch", CADVISOR],
  ["event-storage-age-limit", "text", CADVISOR],
  ["event-storage-event-limit", "text", CADVISOR],
  ["global-housekeeping-interval", "text", CADVISOR],
  ["housekeeping-interval", "text", CADVISOR],
  ["log-cadvisor-usage", "switch", CADVISOR],
  ["machine-id-file", "text", CADVISOR],
  ["storage-driver-buffer-duration", "text", CADVISOR],
  ["storage-driver-db", "text", CADVISOR],
  ["storage-driver-host", "text", CADVISOR],
  ["storage-driver-password", "text", CADVISOR],
  ["storage-driver-secure", "switch", CADVISOR],
  ["storage-driver-table", "text", CADVISOR],
  ["storage-driver-user", "text", CADVISOR],
];

/** All of them. */
export const OWN_FLAGS: readonly KubeletFlag[] = [
  ...SETTINGS.map((name) => row(name, "text", { kind: "setting", name })),
  row("config", "text", { kind: "own", does: "the configuration file" }),
  row("config-dir", "text", {
    kind: "own",
    does:
      "files `*.conf` that count over `--config`, in the order of their paths; a SkerryConfiguration is allowed, too",
  }),
  row("cloud-provider", "text", {
    kind: "own",
    does:
      "`external` adds the taint `node.cloudprovider.kubernetes.io/uninitialized`; the addresses are the agent's",
  }),
  row("help", "switch", { kind: "own", does: "shows the help" }),
  row("version", "text", {
    kind: "own",
    does: "`Kubernetes v1.36.2+skerry.…`, by which tools judge a kubelet",
  }),
  ...INERT.map(([name, form, why]) => row(name, form, { kind: "inert", why })),
];

function row(
  name: string,
  form: FlagForm,
  meaning: FlagMeaning,
): KubeletFlag {
  return { name, form, meaning };
}
