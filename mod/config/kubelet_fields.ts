/**
 * Every field of the kubelet's configuration file and its upstream default.
 *
 * The type is `KubeletConfiguration` of `kubelet.config.k8s.io/v1beta1`; types
 * are in upstream's `pkg/kubelet/apis/config/v1beta1` and defaults in its
 * `defaults.go`.
 *
 * @module
 */

import {
  anyMap,
  boolean,
  choice,
  type Decoder,
  durationMs,
  durationOrNanosMs,
  endpoint,
  integer,
  ipAddress,
  listOf,
  mapOf,
  number,
  orEmpty,
  path,
  podNetworks,
  reserved,
  sysctlPattern,
  text,
} from "./decoders.ts";
import { headerMap, manifestUrl } from "./manifest_url.ts";
import { type Field, field, type FieldOptions } from "./field.ts";

const POINTER: FieldOptions = { pointer: true };
const textList = listOf(text);
const textMap = mapOf(text);
const objectList = listOf(anyMap);
const port = integer(0, 65_535);
const percent = integer(0, 100);
const count = integer(0);
// Upstream keeps sizes such as the log buffers as quantities: text or number.
const quantity: Decoder<string> = {
  wanted: "a quantity",
  decode: (value) =>
    typeof value === "string" || typeof value === "number"
      ? String(value)
      : undefined,
};

function honoured<T>(
  path: string,
  decoder: Decoder<T>,
  fallback: unknown,
  options: FieldOptions = {},
): Field {
  return field(path, decoder, fallback, { ...options, treatment: "honoured" });
}

function ignored<T>(
  path: string,
  decoder: Decoder<T>,
  fallback: unknown,
  options: FieldOptions = {},
): Field {
  return field(path, decoder, fallback, { ...options, treatment: "ignored" });
}

function fixed<T>(
  path: string,
  decoder: Decoder<T>,
  fallback: unknown,
  options: FieldOptions = {},
): Field {
  return field(path, decoder, fallback, { ...options, treatment: "fixed" });
}

const HONOURED: readonly Field[] = [
  honoured("staticPodPath", path, ""),
  honoured("podLogsDir", path, "/var/log/pods"),
  honoured("syncFrequency", durationMs, "1m"),
  honoured("fileCheckFrequency", durationMs, "20s"),
  honoured("staticPodURL", manifestUrl, ""),
  honoured("staticPodURLHeader", headerMap, undefined),
  honoured("httpCheckFrequency", durationMs, "20s"),
  honoured("healthzPort", port, 10248, POINTER),
  honoured("healthzBindAddress", orEmpty(ipAddress), "127.0.0.1"),
  honoured("clusterDomain", text, ""),
  honoured("clusterDNS", listOf(ipAddress), undefined),
  honoured("cgroupRoot", text, ""),
  honoured(
    "cgroupDriver",
    orEmpty(choice(["cgroupfs", "systemd"])),
    "cgroupfs",
  ),
  honoured("runtimeRequestTimeout", durationMs, "2m"),
  honoured("maxPods", count, 110),
  honoured("podCIDR", podNetworks, ""),
  honoured("resolvConf", path, "/etc/resolv.conf", POINTER),
  honoured("serializeImagePulls", boolean, true, POINTER),
  honoured("maxParallelImagePulls", integer(1), undefined, POINTER),
  honoured(
    "crashLoopBackOff.maxContainerRestartPeriod",
    durationMs,
    "300s",
    POINTER,
  ),
  honoured(
    "containerRuntimeEndpoint",
    endpoint,
    "unix:///run/containerd/containerd.sock",
  ),
  honoured("imageServiceEndpoint", endpoint, ""),
  honoured("logging.format", orEmpty(choice(["text", "json"])), "text"),
  honoured("logging.verbosity", count, 0),
  honoured("cgroupsPerQOS", boolean, true, POINTER),
  honoured("cpuCFSQuota", boolean, true, POINTER),
  honoured("cpuCFSQuotaPeriod", durationMs, "100ms", POINTER),
  honoured("podPidsLimit", integer(-1), -1, POINTER),
  // Upstream's default is true with cgroup v1 and false with v2.
  honoured("singleProcessOOMKill", boolean, undefined, POINTER),
  honoured("enforceNodeAllocatable", listOf(choice(["pods", "none"])), [
    "pods",
  ], POINTER),
  honoured("systemReserved", reserved, undefined),
  honoured("kubeReserved", reserved, undefined),
  honoured("allowedUnsafeSysctls", listOf(sysctlPattern), undefined),
  honoured("seccompDefault", boolean, false, POINTER),
];

/** Fields about an API server that this agent does not talk to. */
const API_SERVER: readonly Field[] = [
  ignored("rotateCertificates", boolean, false),
  ignored("serverTLSBootstrap", boolean, false),
  ignored("eventRecordQPS", count, 50, POINTER),
  ignored("eventBurst", count, 100),
  ignored("nodeStatusUpdateFrequency", durationMs, "10s"),
  ignored("nodeStatusReportFrequency", durationMs, "5m"),
  ignored("nodeLeaseDurationSeconds", count, 40),
  ignored("nodeStatusMaxImages", integer(-1), 50, POINTER),
  ignored("contentType", text, "application/vnd.kubernetes.protobuf"),
  ignored("kubeAPIQPS", integer(), 50, POINTER),
  ignored("kubeAPIBurst", integer(), 100),
  ignored("enableControllerAttachDetach", boolean, true, POINTER),
  ignored("configMapAndSecretChangeDetectionStrategy", text, "Watch"),
  ignored("providerID", text, ""),
  ignored("registerNode", boolean, true, POINTER),
  ignored("registerWithTaints", objectList, undefined),
];

/** Fields about the kubelet's own HTTP server and who may use it. */
const HTTP_SERVER: readonly Field[] = [
  ignored("enableServer", boolean, true, POINTER),
  ignored("address", orEmpty(ipAddress), "0.0.0.0"),
  ignored("port", port, 10250),
  ignored("readOnlyPort", port, 0),
  ignored("tlsCertFile", text, ""),
  ignored("tlsPrivateKeyFile", text, ""),
  ignored("tlsCipherSuites", textList, undefined),
  ignored("tlsCurvePreferences", listOf(integer()), undefined),
  ignored("tlsMinVersion", text, ""),
  ignored("authentication.x509.clientCAFile", text, ""),
  ignored("authentication.webhook.enabled", boolean, true, POINTER),
  ignored("authentication.webhook.cacheTTL", durationMs, "2m"),
  ignored("authentication.anonymous.enabled", boolean, false, POINTER),
  ignored("authorization.mode", text, "Webhook"),
  ignored("authorization.webhook.cacheAuthorizedTTL", durationMs, "5m"),
  ignored("authorization.webhook.cacheUnauthorizedTTL", durationMs, "30s"),
  ignored("enableDebuggingHandlers", boolean, true, POINTER),
  ignored("enableContentionProfiling", boolean, false),
  ignored("streamingConnectionIdleTimeout", durationMs, "4h"),
  ignored("enableSystemLogHandler", boolean, true, POINTER),
  ignored("enableSystemLogQuery", boolean, false, POINTER),
  ignored("enableProfilingHandler", boolean, true, POINTER),
  ignored("enableDebugFlagsHandler", boolean, true, POINTER),
];

/** Fields about swap and the checks of the cgroup version. */
const HOST_CHECKS: readonly Field[] = [
  ignored("failSwapOn", boolean, true, POINTER),
  ignored("memorySwap.swapBehavior", text, ""),
  ignored("failCgroupV1", boolean, true, POINTER),
];

const IMAGES_AND_LOGS: readonly Field[] = [
  fixed("registryPullQPS", count, 5, POINTER),
  fixed("registryBurst", count, 10),
  fixed(
    "imagePullCredentialsVerificationPolicy",
    text,
    "NeverVerifyPreloadedImages",
  ),
  fixed("preloadedImagesVerificationAllowlist", textList, undefined),
  fixed("imageMinimumGCAge", durationMs, "2m"),
  fixed("imageMaximumGCAge", durationMs, "0s"),
  fixed("imageGCHighThresholdPercent", percent, 85, POINTER),
  fixed("imageGCLowThresholdPercent", percent, 80, POINTER),
  fixed("containerLogMaxSize", quantity, "10Mi"),
  fixed("containerLogMaxFiles", count, 5, POINTER),
  fixed("containerLogMaxWorkers", count, 1, POINTER),
  fixed("containerLogMonitorInterval", durationMs, "10s", POINTER),
  fixed("volumeStatsAggPeriod", durationMs, "1m"),
  fixed(
    "volumePluginDir",
    text,
    "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
  ),
  fixed("logging.flushFrequency", durationOrNanosMs, "5s"),
  fixed("logging.vmodule", objectList, undefined),
  fixed("logging.options.text.splitStream", boolean, false),
  fixed("logging.options.text.infoBufferSize", quantity, "0"),
  fixed("logging.options.json.splitStream", boolean, false),
  fixed("logging.options.json.infoBufferSize", quantity, "0"),
  fixed("tracing.endpoint", text, undefined, POINTER),
  fixed("tracing.samplingRatePerMillion", count, undefined, POINTER),
  fixed("showHiddenMetricsForVersion", text, ""),
];

/** The thresholds that upstream puts in when the field is absent. */
const EVICTION_HARD: Readonly<Record<string, string>> = {
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
};

const RESOURCES: readonly Field[] = [
  fixed("oomScoreAdj", integer(-1000, 1000), -999, POINTER),
  fixed("kubeletCgroups", text, ""),
  fixed("systemCgroups", text, ""),
  fixed("cpuManagerPolicy", text, "none"),
  fixed("cpuManagerPolicyOptions", textMap, undefined),
  fixed("cpuManagerReconcilePeriod", durationMs, "10s"),
  fixed("memoryManagerPolicy", text, "None"),
  fixed("topologyManagerPolicy", text, "none"),
  fixed("topologyManagerScope", text, "container"),
  fixed("topologyManagerPolicyOptions", textMap, undefined),
  fixed("qosReserved", textMap, undefined),
  fixed("maxOpenFiles", count, 1_000_000),
  fixed("evictionHard", textMap, EVICTION_HARD, POINTER),
  fixed("evictionSoft", textMap, undefined),
  fixed("evictionSoftGracePeriod", textMap, undefined),
  fixed("evictionPressureTransitionPeriod", durationMs, "5m"),
  fixed("evictionMaxPodGracePeriod", integer(), 0),
  fixed("evictionMinimumReclaim", textMap, undefined),
  fixed("mergeDefaultEvictionSettings", boolean, false, POINTER),
  fixed("podsPerCore", count, 0),
  fixed("kernelMemcgNotification", boolean, false),
  fixed("reservedSystemCPUs", text, ""),
  fixed("systemReservedCgroup", text, ""),
  fixed("kubeReservedCgroup", text, ""),
  fixed("reservedMemory", objectList, undefined),
  // 0.9 until 1.36, unset from 1.37 on.
  fixed("memoryThrottlingFactor", number, 0.9, POINTER),
  fixed("memoryReservationPolicy", text, "None"),
  fixed("localStorageCapacityIsolation", boolean, true, POINTER),
];

const THE_REST: readonly Field[] = [
  fixed("hairpinMode", text, "promiscuous-bridge"),
  fixed("runOnce", boolean, false),
  fixed("protectKernelDefaults", boolean, false),
  fixed("makeIPTablesUtilChains", boolean, true, POINTER),
  fixed("iptablesMasqueradeBit", count, 14, POINTER),
  fixed("iptablesDropBit", count, 15, POINTER),
  fixed("featureGates", mapOf(boolean), undefined),
  fixed("defaultPodSysctls", textMap, undefined),
  fixed("shutdownGracePeriod", durationMs, "0s"),
  fixed("shutdownGracePeriodCriticalPods", durationMs, "0s"),
  fixed("shutdownGracePeriodByPodPriority", objectList, undefined),
  fixed("userNamespaces.idsPerPod", count, 65_536, POINTER),
];

/** The whole of `KubeletConfiguration`, leaf by leaf. */
export const KUBELET_FIELDS: readonly Field[] = [
  ...HONOURED,
  ...API_SERVER,
  ...HTTP_SERVER,
  ...HOST_CHECKS,
  ...IMAGES_AND_LOGS,
  ...RESOURCES,
  ...THE_REST,
];
