/**
 * What the kubelet takes for the fields of its configuration that a file leaves out.
 *
 * @module
 */

/**
 * Upstream's defaults by the field's path, as a file spells them, from its `defaults.go`;
 * a field that has none is not named.
 */
export const KUBELET_DEFAULTS: Readonly<Record<string, unknown>> = {
  // What takes effect here.
  "staticPodPath": "",
  "fileCheckFrequency": "20s",
  "staticPodURL": "",
  "httpCheckFrequency": "20s",
  "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
  "imageServiceEndpoint": "",
  "podLogsDir": "/var/log/pods",
  "containerLogMaxSize": "10Mi",
  "containerLogMaxFiles": 5,
  "containerLogMaxWorkers": 1,
  "containerLogMonitorInterval": "10s",
  "runtimeRequestTimeout": "2m",
  "crashLoopBackOff.maxContainerRestartPeriod": "300s",
  "serializeImagePulls": true,
  "imagePullCredentialsVerificationPolicy": "NeverVerifyPreloadedImages",
  "podCIDR": "",
  "maxPods": 110,
  "resolvConf": "/etc/resolv.conf",
  "clusterDomain": "",
  "cgroupDriver": "cgroupfs",
  "cgroupRoot": "",
  "cgroupsPerQOS": true,
  "cpuCFSQuota": true,
  "cpuCFSQuotaPeriod": "100ms",
  "podPidsLimit": -1,
  "enforceNodeAllocatable": ["pods"],
  "seccompDefault": false,
  "imageGCHighThresholdPercent": 85,
  "imageGCLowThresholdPercent": 80,
  "imageMinimumGCAge": "2m",
  "imageMaximumGCAge": "0s",
  "healthzPort": 10_248,
  "healthzBindAddress": "127.0.0.1",
  "syncFrequency": "1m",
  "logging.format": "text",
  "logging.verbosity": 0,
  // What has no meaning here.
  "rotateCertificates": false,
  "serverTLSBootstrap": false,
  "eventRecordQPS": 50,
  "eventBurst": 100,
  "nodeStatusUpdateFrequency": "10s",
  "nodeStatusReportFrequency": "5m",
  "nodeLeaseDurationSeconds": 40,
  "nodeStatusMaxImages": 50,
  "contentType": "application/vnd.kubernetes.protobuf",
  "kubeAPIQPS": 50,
  "kubeAPIBurst": 100,
  "enableControllerAttachDetach": true,
  "configMapAndSecretChangeDetectionStrategy": "Watch",
  "providerID": "",
  "registerNode": true,
  "enableServer": true,
  "address": "0.0.0.0",
  "port": 10_250,
  "readOnlyPort": 0,
  "tlsCertFile": "",
  "tlsPrivateKeyFile": "",
  "tlsMinVersion": "",
  "authentication.x509.clientCAFile": "",
  "authentication.webhook.enabled": true,
  "authentication.webhook.cacheTTL": "2m",
  "authentication.anonymous.enabled": false,
  "authorization.mode": "Webhook",
  "authorization.webhook.cacheAuthorizedTTL": "5m",
  "authorization.webhook.cacheUnauthorizedTTL": "30s",
  "enableDebuggingHandlers": true,
  "enableContentionProfiling": false,
  "streamingConnectionIdleTimeout": "4h",
  "enableSystemLogHandler": true,
  "enableSystemLogQuery": false,
  "enableProfilingHandler": true,
  "enableDebugFlagsHandler": true,
  "failSwapOn": true,
  "memorySwap.swapBehavior": "",
  "failCgroupV1": true,
  // What is not honoured yet: no other value passes.
  "volumeStatsAggPeriod": "1m",
  "volumePluginDir": "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
  "logging.flushFrequency": "5s",
  "logging.options.text.splitStream": false,
  "logging.options.text.infoBufferSize": "0",
  "logging.options.json.splitStream": false,
  "logging.options.json.infoBufferSize": "0",
  "showHiddenMetricsForVersion": "",
  "oomScoreAdj": -999,
  "kubeletCgroups": "",
  "systemCgroups": "",
  "cpuManagerPolicy": "none",
  "cpuManagerReconcilePeriod": "10s",
  "memoryManagerPolicy": "None",
  "topologyManagerPolicy": "none",
  "topologyManagerScope": "container",
  "maxOpenFiles": 1_000_000,
  "podsPerCore": 0,
  "kernelMemcgNotification": false,
  "reservedSystemCPUs": "",
  "systemReservedCgroup": "",
  "kubeReservedCgroup": "",
  "memoryThrottlingFactor": 0.9,
  "memoryReservationPolicy": "None",
  "localStorageCapacityIsolation": true,
  "hairpinMode": "promiscuous-bridge",
  "runOnce": false,
  "protectKernelDefaults": false,
  "makeIPTablesUtilChains": true,
  "iptablesMasqueradeBit": 14,
  "iptablesDropBit": 15,
  "userNamespaces.idsPerPod": 65_536,
};

/**
 * The configuration that kubeadm 1.36 writes for a kubelet: what it decides on, and the zero
 * values that Go's writer leaves beside it.
 */
export function kubeadmConfig(staticPodPath: string): string {
  return `apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
  webhook:
    cacheAuthorizedTTL: 0s
    cacheUnauthorizedTTL: 0s
cgroupDriver: systemd
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
containerRuntimeEndpoint: ""
cpuManagerReconcilePeriod: 0s
crashLoopBackOff: {}
evictionPressureTransitionPeriod: 0s
fileCheckFrequency: 0s
healthzBindAddress: 127.0.0.1
healthzPort: 10248
httpCheckFrequency: 0s
imageMaximumGCAge: 0s
imageMinimumGCAge: 0s
kind: KubeletConfiguration
logging:
  flushFrequency: 0
  options:
    json:
      infoBufferSize: "0"
    text:
      infoBufferSize: "0"
  verbosity: 0
memorySwap: {}
nodeStatusReportFrequency: 0s
nodeStatusUpdateFrequency: 0s
rotateCertificates: true
runtimeRequestTimeout: 0s
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
staticPodPath: ${staticPodPath}
streamingConnectionIdleTimeout: 0s
syncFrequency: 0s
volumeStatsAggPeriod: 0s
`;
}
