/**
 * The fields of the kubelet's configuration file that take no effect, and their upstream
 * defaults; those that do are in the table of settings.
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
  count,
  type Decoder,
  durationMs,
  durationOrNanosMs,
  integer,
  ipAddress,
  listOf,
  mapOf,
  number,
  orEmpty,
  port,
  text,
} from "./decoders.ts";
import { type Field, field } from "./setting.ts";

const POINTER = { emptyIsUnset: false };
const textList = listOf(text);
const textMap = mapOf(text);
const objectList = listOf(anyMap);
// Upstream keeps sizes such as the log buffers as quantities: text or number.
const quantity: Decoder<string> = {
  wanted: "a quantity",
  decode: (value) =>
    typeof value === "string" || typeof value === "number"
      ? String(value)
      : undefined,
};

function ignored(
  path: string,
  decoder: Decoder<unknown>,
  upstream: unknown,
  more: Partial<Field> = {},
): Field {
  return { ...field(path, decoder), treatment: "ignored", upstream, ...more };
}

function fixed(...args: Parameters<typeof ignored>): Field {
  return { ...ignored(...args), treatment: "fixed" };
}

/** What of `KubeletConfiguration` takes no effect, leaf by leaf. */
export const INERT_KUBELET_FIELDS: readonly Field[] = [
  // Fields about an API server that this agent does not talk to.
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
  // Fields about the kubelet's own HTTP server and its clients.
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
  // Fields about swap and the checks of the cgroup version.
  ignored("failSwapOn", boolean, true, POINTER),
  ignored("memorySwap.swapBehavior", text, ""),
  ignored("failCgroupV1", boolean, true, POINTER),
  // Volumes, logs and tracing.
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
  // Resources of the node and eviction.
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
  // The rest.
  fixed("hairpinMode", text, "promiscuous-bridge"),
  fixed("runOnce", boolean, false),
  fixed("protectKernelDefaults", boolean, false),
  fixed("makeIPTablesUtilChains", boolean, true, POINTER),
  fixed("iptablesMasqueradeBit", count, 14, POINTER),
  fixed("iptablesDropBit", count, 15, POINTER),
  fixed("featureGates", mapOf(boolean), undefined),
  fixed("defaultPodSysctls", textMap, undefined),
  fixed("userNamespaces.idsPerPod", count, 65_536, POINTER),
];
