/**
 * The fields of the kubelet's configuration file that take no effect, and for those that
 * may only stand at their upstream default, that default; those that take effect are in the
 * table of settings.
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
  more: Partial<Field> = {},
): Field {
  return { ...field(path, decoder), treatment: "ignored", ...more };
}

function fixed(
  path: string,
  decoder: Decoder<unknown>,
  upstream: unknown,
  more: Partial<Field> = {},
): Field {
  return { ...field(path, decoder), treatment: "fixed", upstream, ...more };
}

/** What of `KubeletConfiguration` takes no effect, leaf by leaf. */
export const INERT_KUBELET_FIELDS: readonly Field[] = [
  // Fields about an API server.
  ignored("contentType", text),
  ignored("enableControllerAttachDetach", boolean, POINTER),
  ignored("configMapAndSecretChangeDetectionStrategy", text),
  // Fields about the kubelet's own HTTP server and its clients.
  ignored("enableServer", boolean, POINTER),
  ignored("address", orEmpty(ipAddress)),
  ignored("port", port),
  ignored("readOnlyPort", port),
  ignored("tlsCertFile", text),
  ignored("tlsPrivateKeyFile", text),
  ignored("tlsCipherSuites", textList),
  ignored("tlsCurvePreferences", listOf(integer())),
  ignored("tlsMinVersion", text),
  ignored("authentication.x509.clientCAFile", text),
  ignored("authentication.webhook.enabled", boolean, POINTER),
  ignored("authentication.webhook.cacheTTL", durationMs),
  ignored("authentication.anonymous.enabled", boolean, POINTER),
  ignored("authorization.mode", text),
  ignored("authorization.webhook.cacheAuthorizedTTL", durationMs),
  ignored("authorization.webhook.cacheUnauthorizedTTL", durationMs),
  ignored("enableDebuggingHandlers", boolean, POINTER),
  ignored("enableContentionProfiling", boolean),
  ignored("streamingConnectionIdleTimeout", durationMs),
  ignored("enableSystemLogHandler", boolean, POINTER),
  ignored("enableSystemLogQuery", boolean, POINTER),
  ignored("enableProfilingHandler", boolean, POINTER),
  ignored("enableDebugFlagsHandler", boolean, POINTER),
  // Fields about swap and the checks of the cgroup version.
  ignored("failSwapOn", boolean, POINTER),
  ignored("memorySwap.swapBehavior", text),
  ignored("failCgroupV1", boolean, POINTER),
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
