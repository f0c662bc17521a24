/**
 * The settings about the cluster that the agent joins.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import type { Taint } from "../api/cluster/mod.ts";
import {
  type KubeAccess,
  KubeconfigError,
  KubeconfigFile,
} from "../kube/config/mod.ts";
import {
  type ClusterConfig,
  SECRET_KEEPING,
  type Settings,
} from "./agent_config.ts";
import {
  boolean,
  choice,
  count,
  type Decoder,
  durationMs,
  givenPath,
  integer,
  listOf,
  path,
  text,
} from "./decoders.ts";
import { field, flag, pointer, type Rows } from "./setting.ts";

const EFFECTS: readonly unknown[] = [
  "NoSchedule",
  "PreferNoSchedule",
  "NoExecute",
];

const taint: Decoder<Taint> = {
  wanted: "a map of key, effect and, if it has one, value",
  decode: (given) => {
    if (!isRecord(given)) return undefined;
    const { key, value = "", effect, ...others } = given;
    const isTaint = typeof key === "string" && key !== "" &&
      typeof value === "string" && typeof effect === "string" &&
      EFFECTS.includes(effect) &&
      Object.keys(others).every((each) => each === "timeAdded");
    if (!isTaint) return undefined;
    return { key, effect, ...(value !== "" && { value }) };
  },
};

/** Upstream's default, which 0 stands for as well. */
const QPS = 50;

/** Their rows in the table of settings. */
export const CLUSTER_ROWS: Rows<Settings["cluster"]> = {
  kubeconfig: {
    flag: flag("kubeconfig PATH", givenPath),
    help: "joins the cluster that this file is about as a node\n(default none)",
    skerry: field("kubeconfig", path),
    access: "read",
    net: "api_server",
  },
  bootstrapKubeconfig: {
    flag: flag("bootstrap-kubeconfig PATH", givenPath),
    help:
      "gets the node's first certificate with this one,\nand writes --kubeconfig",
    skerry: field("bootstrapKubeconfig", path),
    access: "read",
  },
  certDir: {
    flag: flag("cert-dir DIR", givenPath),
    help: "certificates of the node (default ROOT-DIR/pki)",
    skerry: field("certDir", path),
    access: "write",
  },
  keepSecrets: {
    flag: flag("keep-secrets HOW", choice(SECRET_KEEPING)),
    help:
      "how the cluster's Secrets and tokens outlive a reboot:\nmemory (not at all), encrypted or plain (default {default})",
    skerry: field("keepSecrets", choice(SECRET_KEEPING)),
    fallback: "memory",
  },
  keepSecretsKeyFile: {
    flag: flag("keep-secrets-key-file PATH", givenPath),
    help:
      "key of encrypted ones: 32 bytes in base64\n(default ROOT-DIR/secrets.key, which is made)",
    skerry: field("keepSecretsKeyFile", path),
    access: "read",
  },
  rotateCertificates: {
    kubelet: field("rotateCertificates", boolean),
    fallback: false,
  },
  serverTlsBootstrap: {
    kubelet: field("serverTLSBootstrap", boolean),
    fallback: false,
  },
  apiQps: { kubelet: pointer("kubeAPIQPS", integer()), fallback: QPS },
  apiBurst: { kubelet: field("kubeAPIBurst", integer()), fallback: 100 },
  registerNode: {
    kubelet: pointer("registerNode", boolean),
    fallback: true,
  },
  taints: {
    kubelet: field("registerWithTaints", listOf(taint)),
    fallback: [],
  },
  providerId: { kubelet: field("providerID", text) },
  statusUpdateMs: {
    kubelet: field("nodeStatusUpdateFrequency", durationMs),
    fallback: 10_000,
    leastMs: 1_000,
  },
  statusReportMs: {
    kubelet: field("nodeStatusReportFrequency", durationMs),
    leastMs: 1_000,
  },
  leaseSeconds: {
    kubelet: field("nodeLeaseDurationSeconds", count),
    fallback: 40,
  },
  eventsPerSecond: {
    kubelet: pointer("eventRecordQPS", count),
    fallback: 50,
  },
  eventBurst: {
    kubelet: field("eventBurst", count),
    fallback: 100,
  },
  maxImages: {
    kubelet: pointer("nodeStatusMaxImages", integer(-1)),
    fallback: 50,
  },
};

/** Upstream's default where the other frequency is not given either. */
const REPORT_MS = 5 * 60_000;
const UPDATE_MS = 10_000;

/** What came of looking at the cluster that settings name. */
export interface NamedCluster {
  /** Absent when none is named, or it cannot be used. */
  readonly cluster?: ClusterConfig;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Completes the settings of the cluster by what its kubeconfigs say. */
export async function readCluster(
  settings: Pick<Settings, "cluster" | "paths">,
  readTextFile: (path: string) => Promise<string>,
): Promise<NamedCluster> {
  const { kubeconfig, ...others } = settings.cluster;
  const { bootstrapKubeconfig } = others;
  if (kubeconfig === undefined) return withoutCluster(settings.cluster);
  const read = (path: string) =>
    readAccess(new KubeconfigFile(path, readTextFile));
  const own = await read(kubeconfig);
  const first = bootstrapKubeconfig === undefined
    ? undefined
    : await read(bootstrapKubeconfig);
  const ways = [own, first].flatMap((way) =>
    way?.kind === "read" ? [way.access] : []
  );
  // Who brings nodes up removes the one for bootstrapping when the other one is there.
  if (ways.length === 0) {
    return {
      faults: [
        ...faultsOf("--kubeconfig", own),
        ...faultsOf("--bootstrap-kubeconfig", first),
        ...keyFileFaults(others),
      ],
      warnings: [],
    };
  }
  const { statusReportMs, serverTlsBootstrap, ...kept } = others;
  const { statusUpdateMs } = kept;
  // As upstream: who sets the one frequency alone means both.
  const isSet = statusUpdateMs !== UPDATE_MS;
  const cluster = {
    ...kept,
    kubeconfig,
    kubeconfigStaging: `${kubeconfig}.new`,
    certDir: kept.certDir ?? `${settings.paths.rootDir}/pki`,
    apiQps: kept.apiQps || QPS,
    statusReportMs: statusReportMs ?? (isSet ? statusUpdateMs : REPORT_MS),
    hosts: [...new Set(ways.map(hostOf))],
    files: [...new Set(ways.flatMap(filesOf))],
  };
  return {
    cluster,
    faults: keyFileFaults(others),
    warnings: serverTlsBootstrap
      ? [
        "serverTLSBootstrap: no certificate to serve with is asked for, since the agent serves no port that would use it",
      ]
      : [],
  };
}

function withoutCluster(given: Settings["cluster"]): NamedCluster {
  const { bootstrapKubeconfig, keepSecrets } = given;
  const faults = [
    ...bootstrapKubeconfig === undefined ? [] : [
      "Cannot use --bootstrap-kubeconfig: found no --kubeconfig, wanted the path where the node's own is to be written",
    ],
    ...keepSecrets === "memory" ? [] : [
      `Cannot use --keep-secrets: found "${keepSecrets}" and no --kubeconfig, wanted the cluster whose Secrets are to be kept`,
    ],
    ...keyFileFaults(given),
  ];
  return { faults, warnings: [] };
}

/** A key for nothing looks like Secrets that are encrypted. */
function keyFileFaults(
  { keepSecrets, keepSecretsKeyFile }: Omit<Settings["cluster"], "kubeconfig">,
): readonly string[] {
  return keepSecretsKeyFile === undefined || keepSecrets === "encrypted"
    ? []
    : [
      `Cannot use --keep-secrets-key-file: found --keep-secrets=${keepSecrets}, wanted encrypted`,
    ];
}

type AccessReading =
  | { readonly kind: "read"; readonly access: KubeAccess }
  | { readonly kind: "refused"; readonly faults: readonly string[] };

async function readAccess(file: KubeconfigFile): Promise<AccessReading> {
  try {
    return { kind: "read", access: await file.access() };
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    return { kind: "refused", faults: error.faults };
  }
}

function faultsOf(
  option: string,
  reading: AccessReading | undefined,
): readonly string[] {
  return reading?.kind === "refused"
    ? reading.faults.map((fault) => `Cannot use ${option}: ${fault}`)
    : [];
}

/** With a proxy only that is spoken to. */
function hostOf({ server, proxyUrl }: KubeAccess): string {
  const { protocol, hostname, port } = new URL(proxyUrl?.reveal() ?? server);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function filesOf({ ca, client, token }: KubeAccess): readonly string[] {
  return [ca, client?.cert, client?.key, token]
    .flatMap((place) => place?.kind === "file" ? [place.path] : []);
}

/** Those in the domain of Kubernetes that a node may have of its own accord, as upstream. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const OWN_DOMAINS = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const KUBERNETES_DOMAINS = ["kubernetes.io", "k8s.io"];

/**
 * Labels with which no API server lets a node register itself (NodeRestriction). Upstream's
 * kubelet does not start with them either.
 */
export function nodeLabelFaults(
  labels: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.keys(labels).filter(isRestricted).map((key) =>
    `Cannot use --node-labels: found "${key}", which a node may not give itself, wanted one outside of kubernetes.io and k8s.io, in ${
      OWN_DOMAINS.join(" or ")
    }, or of ${[...OWN_LABELS].join(", ")}`
  );
}

function isRestricted(key: string): boolean {
  const [domain = ""] = key.includes("/") ? key.split("/") : [];
  return !OWN_LABELS.has(key) && isWithin(domain, KUBERNETES_DOMAINS) &&
    !isWithin(domain, OWN_DOMAINS);
}

function isWithin(domain: string, domains: readonly string[]): boolean {
  return domains.some((each) => domain === each || domain.endsWith(`.${each}`));
}
