/**
 * The table of all settings.
 *
 * Flags, the fields of the file, the help of `skerry run`, the defaults and the permissions
 * of the agent for files and the network are derived from it.
 *
 * @module
 */

import { formatDuration } from "../base/text/mod.ts";
import type { Settings } from "./agent_config.ts";
import { CLUSTER_ROWS } from "./cluster_settings.ts";
import {
  boolean,
  choice,
  commaList,
  count,
  durationMs,
  endpoint,
  givenPath,
  hugePageSize,
  integer,
  ipAddress,
  ipAddresses,
  labels,
  listOf,
  nodeName,
  nonEmpty,
  orEmpty,
  path,
  podNetwork,
  podNetworks,
  port,
  portText,
  reserved,
  single,
  switchText,
  sysctlPattern,
  text,
  verbosityLevel,
} from "./decoders.ts";
import {
  DEAD_CONTAINERS_ROWS,
  IMAGE_COLLECTION_ROWS,
  IMAGE_ROWS,
} from "./image_settings.ts";
import {
  headerLine,
  headerMap,
  joinHeaders,
  manifestUrl,
} from "./manifest_url.ts";
import { SERVICE_ROWS } from "./service_settings.ts";
import { PRESSURE_SETTINGS } from "./pressure_settings.ts";
import { POD_LOG_ROWS } from "./pod_log_settings.ts";
import { field, flag, listFlag, pointer, type Rows } from "./setting.ts";
import { SHUTDOWN_ROWS } from "./shutdown_settings.ts";

/** The default of `--root-dir`, whose run directory lies elsewhere. */
export const DEFAULT_ROOT_DIR = "/var/lib/skerry";

/** The same in the kubelet's place, as upstream; there is one kubelet on a machine, too. */
export const KUBELET_ROOT_DIR = "/var/lib/kubelet";

/** Where operators keep the configuration file; read only if it is named. */
export const DEFAULT_CONFIG_PATH = "/etc/skerry/config.yaml";

// Below this, a loop would do nothing but look again.
const SHORTEST_PERIOD_MS = 10;

/** All settings, those with flags in the order of the help. */
export const SETTINGS: {
  readonly [Part in keyof Settings]: Rows<Settings[Part]>;
} = {
  paths: {
    rootDir: {
      flag: flag("root-dir PATH", givenPath),
      help: "state (default {default})",
      skerry: field("rootDir", path),
      fallback: DEFAULT_ROOT_DIR,
      access: "write",
    },
    runDir: {
      flag: flag("run-dir PATH", givenPath),
      help:
        "volatile state, on a tmpfs (default /run/skerry,\nwith another root directory ROOT-DIR/run)",
      skerry: field("runDir", path),
      access: "write",
    },
    controlSocket: {
      flag: flag("control-socket PATH", givenPath),
      help: "for clients (default RUN-DIR/skerry.sock)",
      skerry: field("controlSocket", path),
      access: "write",
      net: "own_socket",
    },
  },
  source: {
    manifestPath: {
      flag: flag("pod-manifest-path PATH", givenPath),
      help: "a manifest or a directory of them (default {default})",
      kubelet: field("staticPodPath", path),
      fallback: "/etc/skerry/manifests",
      access: "read",
    },
    manifestFiles: {
      flag: flag("manifest-files yaml|kubelet", choice(["yaml", "kubelet"])),
      help:
        "which files are manifests: .yaml, .yml and .json (default),\nor every one whose name does not begin with a dot",
      skerry: field("manifestFiles", choice(["yaml", "kubelet"])),
      fallback: "yaml",
    },
    fileCheckFrequencyMs: {
      flag: flag("file-check-frequency DURATION", durationMs),
      help: "how often manifests are read again (default {default})",
      write: formatDuration,
      kubelet: field("fileCheckFrequency", durationMs),
      fallback: 20_000,
      leastMs: SHORTEST_PERIOD_MS,
    },
  },
  manifestUrl: {
    url: {
      flag: flag("manifest-url URL", nonEmpty(manifestUrl)),
      help: "manifests from a web server, http or https",
      kubelet: field("staticPodURL", manifestUrl),
      net: "url",
    },
    headers: {
      flag: {
        ...flag("manifest-url-header 'KEY: VALUE'", headerLine),
        more: joinHeaders,
      },
      help:
        "sent to that server; may be repeated (secrets\nbelong in staticPodURLHeader of the file)",
      kubelet: field("staticPodURLHeader", headerMap),
    },
    caFile: {
      flag: flag("manifest-url-ca-file FILE", givenPath),
      help: "authorities to believe, needed for https",
      skerry: field("staticPodURLCAFile", path),
      access: "read",
    },
    certFile: {
      flag: flag("manifest-url-cert-file FILE", givenPath),
      help: "certificate of this client",
      skerry: field("staticPodURLCertFile", path),
      access: "read",
    },
    keyFile: {
      flag: flag("manifest-url-key-file FILE", givenPath),
      help: "private key of this client",
      skerry: field("staticPodURLKeyFile", path),
      access: "read",
    },
    publicKeyFiles: {
      flag: listFlag("manifest-url-public-key FILE", single(givenPath)),
      help:
        "Ed25519 key; then answers must be signed, at\nthe URL with .sig behind; may be repeated",
      skerry: field("staticPodURLPublicKeys", listOf(givenPath)),
      access: "read",
    },
    checkFrequencyMs: {
      flag: flag("http-check-frequency DURATION", durationMs),
      help: "how often the URL is asked (default {default})",
      write: formatDuration,
      kubelet: field("httpCheckFrequency", durationMs),
      fallback: 20_000,
      leastMs: SHORTEST_PERIOD_MS,
    },
  },
  runtime: {
    socketPath: {
      flag: flag("container-runtime-endpoint PATH", nonEmpty(endpoint)),
      help: "socket of the CRI runtime\n(default {default})",
      write: (path) => `unix://${path}`,
      kubelet: field("containerRuntimeEndpoint", endpoint),
      fallback: "/run/containerd/containerd.sock",
      access: "write",
      net: "socket",
    },
    imageSocketPath: {
      kubelet: field("imageServiceEndpoint", endpoint),
      access: "write",
      net: "socket",
    },
    podLogsDir: {
      flag: flag("pod-logs-dir PATH", givenPath),
      help: "logs of containers (default {default})",
      kubelet: field("podLogsDir", path),
      fallback: "/var/log/pods",
      access: "write",
    },
    requestTimeoutMs: {
      kubelet: field("runtimeRequestTimeout", durationMs),
      fallback: 120_000,
      leastMs: SHORTEST_PERIOD_MS,
    },
    maxRestartPeriodMs: {
      kubelet: pointer(
        "crashLoopBackOff.maxContainerRestartPeriod",
        durationMs,
      ),
      fallback: 300_000,
      // Upstream's bounds.
      leastMs: 1_000,
      mostMs: 300_000,
    },
    serializeImagePulls: {
      kubelet: pointer("serializeImagePulls", boolean),
    },
    maxParallelImagePulls: {
      kubelet: pointer("maxParallelImagePulls", integer(1)),
    },
    maxParallelSandboxStarts: {
      skerry: field("maxParallelSandboxStarts", integer(1, 1000)),
      // Measured: 4 to 8 at a time keep the total of a hundred and halve the median.
      fallback: 6,
    },
  },
  images: IMAGE_ROWS,
  node: {
    name: {
      flag: flag("hostname-override NAME", nodeName),
      help: "name of the node (default the hostname)",
      skerry: field("hostnameOverride", nodeName),
    },
    ips: {
      flag: flag("node-ip IP[,IP]", ipAddresses),
      help: "addresses of the node (default those of its interfaces)",
      skerry: field("nodeIP", ipAddresses),
      fallback: [],
      net: "addresses",
    },
    labels: {
      flag: {
        ...flag("node-labels KEY=VALUE,...", labels),
        more: (before, after) => ({ ...before, ...after }),
      },
      help: "labels of the node",
      skerry: field("nodeLabels", labels),
      fallback: {},
    },
    hostPathRoots: {
      flag: listFlag("host-path-roots PATHS", commaList(givenPath)),
      help: "where hostPath volumes may be checked and\nmade; may be repeated",
      skerry: field("hostPathRoots", listOf(givenPath)),
      fallback: [],
      access: "write",
    },
    hostView: {
      flag: flag("host-view DIR", givenPath),
      help:
        "bind mounts of /sys/fs/cgroup at DIR/cgroup, of\n/sys/kernel/mm/hugepages at DIR/hugepages, of\nthe disk of images at DIR/imagefs, of\n/proc/loadavg and /proc/sys/kernel/pid_max",
      skerry: field("hostView", path),
      access: "write",
    },
    unknownFields: {
      flag: flag("unknown-fields refuse|warn", choice(["refuse", "warn"])),
      help: "fields that no Pod has (default {default})",
      skerry: field("unknownFields", choice(["refuse", "warn"])),
      fallback: "refuse",
    },
    allowedUnsafeSysctls: {
      flag: listFlag("allowed-unsafe-sysctls NAMES", commaList(sysctlPattern)),
      help: "sysctls beside the safe ones; may be repeated",
      kubelet: field("allowedUnsafeSysctls", listOf(sysctlPattern)),
      fallback: [],
    },
    podNetworks: {
      flag: listFlag("pod-network CIDR", podNetworks),
      help:
        "where pods have their addresses; may be repeated\n(default podCIDR of the configuration file)",
      skerry: field("podNetworks", listOf(podNetwork)),
      kubelet: field("podCIDR", podNetworks),
      fallback: [],
      net: "networks",
    },
    maxPods: { kubelet: field("maxPods", count), fallback: 110 },
    resolvConf: {
      kubelet: pointer("resolvConf", path),
      fallback: "/etc/resolv.conf",
      access: "read",
    },
    clusterDns: {
      kubelet: field("clusterDNS", listOf(ipAddress)),
      fallback: [],
    },
    clusterDomain: { kubelet: field("clusterDomain", text), fallback: "" },
    hostsOfServices: {
      flag: flag("hosts-of-services", switchText),
      help: "names of Services in the hosts files of pods",
      skerry: field("hostsOfServices", boolean),
      fallback: false,
    },
    cgroupDriver: {
      kubelet: field("cgroupDriver", orEmpty(choice(["cgroupfs", "systemd"]))),
      fallback: "cgroupfs",
    },
    cgroupRoot: { kubelet: field("cgroupRoot", text), fallback: "" },
    cgroupsPerQos: {
      kubelet: pointer("cgroupsPerQOS", boolean),
      fallback: true,
    },
    cpuCfsQuota: {
      kubelet: pointer("cpuCFSQuota", boolean),
      fallback: true,
    },
    cpuCfsPeriodMs: {
      kubelet: pointer("cpuCFSQuotaPeriod", durationMs),
      fallback: 100,
      leastMs: 1,
      mostMs: 1_000,
    },
    podPidsLimit: {
      kubelet: pointer("podPidsLimit", integer(-1)),
    },
    // Upstream's default is true with cgroup v1 and false with v2.
    singleProcessOomKill: {
      kubelet: pointer("singleProcessOOMKill", boolean),
    },
    enforceNodeAllocatable: {
      kubelet: pointer(
        "enforceNodeAllocatable",
        listOf(choice(["pods", "none"])),
      ),
    },
    systemReserved: {
      kubelet: field("systemReserved", reserved),
      fallback: {},
    },
    kubeReserved: { kubelet: field("kubeReserved", reserved), fallback: {} },
    hugePageSizes: {
      skerry: field("hugePageSizes", listOf(hugePageSize)),
      fallback: [],
    },
    seccompDefault: {
      kubelet: pointer("seccompDefault", boolean),
      fallback: false,
    },
  },
  cluster: CLUSTER_ROWS,
  pressure: PRESSURE_SETTINGS,
  podLogs: POD_LOG_ROWS,
  server: {
    healthzPort: {
      flag: flag("healthz-port PORT", portText),
      help: "health endpoint on loopback, 0 for none (default {default})",
      kubelet: pointer("healthzPort", port),
      fallback: 10_248,
      net: "port",
    },
    healthzAddress: {
      kubelet: field("healthzBindAddress", orEmpty(ipAddress)),
      fallback: "127.0.0.1",
    },
  },
  service: SERVICE_ROWS,
  shutdown: SHUTDOWN_ROWS,
  imageCollection: IMAGE_COLLECTION_ROWS,
  deadContainers: DEAD_CONTAINERS_ROWS,
  sync: {
    syncFrequencyMs: {
      kubelet: field("syncFrequency", durationMs),
      fallback: 60_000,
      leastMs: SHORTEST_PERIOD_MS,
    },
    relistPeriodMs: {
      skerry: field("relistPeriod", durationMs),
      // Upstream's generic PLEG looks as often.
      fallback: 1_000,
      leastMs: SHORTEST_PERIOD_MS,
    },
  },
  log: {
    format: {
      skerry: field("logFormat", choice(["text", "json"])),
      kubelet: field("logging.format", orEmpty(choice(["text", "json"]))),
      fallback: "text",
    },
    level: {
      skerry: field("logLevel", choice(["debug", "info", "warn", "error"])),
      kubelet: field("logging.verbosity", verbosityLevel),
      fallback: "info",
    },
  },
};
