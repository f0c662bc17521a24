/**
 * A pod as `kubectl get pod -o yaml` shows it, with all that an API server adds.
 *
 * @module
 */

/** Of a ReplicaSet, on a node of a cluster, running. */
export const EXPORTED_POD = `apiVersion: v1
kind: Pod
metadata:
  annotations:
    cni.projectcalico.org/containerID: 3b0b2f1f0f1c2d3e
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{},"name":"web","namespace":"default"},"spec":{"containers":[{"image":"localhost/busybox:1.35","name":"web"}]}}
    kubernetes.io/config.hash: 41ba2d4e6f6a4a1a8f1f9c2b5d7d1a3c
    kubernetes.io/config.seen: "2024-05-14T09:21:07.123456789Z"
    kubernetes.io/config.source: api
  creationTimestamp: "2024-05-14T09:21:07Z"
  generateName: web-6d4cf56db6-
  generation: 1
  labels:
    app: web
    pod-template-hash: 6d4cf56db6
  managedFields:
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata:
        f:labels: {}
    manager: kube-controller-manager
    operation: Update
    time: "2024-05-14T09:21:07Z"
  name: web-6d4cf56db6-7xk2p
  namespace: default
  ownerReferences:
  - apiVersion: apps/v1
    blockOwnerDeletion: true
    controller: true
    kind: ReplicaSet
    name: web-6d4cf56db6
    uid: 0d6f9d0e-5c0e-4a8f-9c46-0a1d9b8ef3d3
  resourceVersion: "123456"
  selfLink: /api/v1/namespaces/default/pods/web
  uid: 5f0d9f0b-3c0b-4c5e-9a94-d77b0b1f3a10
spec:
  containers:
  - image: localhost/busybox:1.35
    imagePullPolicy: IfNotPresent
    name: web
    ports:
    - containerPort: 80
      protocol: TCP
    resources: {}
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
    volumeMounts:
    - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      name: kube-api-access-v9q8l
      readOnly: true
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  nodeName: worker-2
  preemptionPolicy: PreemptLowerPriority
  priority: 0
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  serviceAccount: default
  serviceAccountName: default
  terminationGracePeriodSeconds: 30
  tolerations:
  - effect: NoExecute
    key: node.kubernetes.io/not-ready
    operator: Exists
    tolerationSeconds: 300
  - effect: NoExecute
    key: node.kubernetes.io/unreachable
    operator: Exists
    tolerationSeconds: 300
  volumes:
  - name: kube-api-access-v9q8l
    projected:
      defaultMode: 420
      sources:
      - serviceAccountToken:
          expirationSeconds: 3607
          path: token
      - configMap:
          items:
          - key: ca.crt
            path: ca.crt
          name: kube-root-ca.crt
      - downwardAPI:
          items:
          - fieldRef:
              apiVersion: v1
              fieldPath: metadata.namespace
            path: namespace
status:
  conditions:
  - lastProbeTime: null
    lastTransitionTime: "2024-05-14T09:21:09Z"
    status: "True"
    type: PodReadyToStartContainers
  containerStatuses:
  - containerID: containerd://0a1b2c
    image: localhost/busybox:1.35
    imageID: docker.io/library/nginx@sha256:abc
    lastState: {}
    name: web
    ready: true
    restartCount: 0
    started: true
    state:
      running:
        startedAt: "2024-05-14T09:21:08Z"
    volumeMounts:
    - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      name: kube-api-access-v9q8l
      readOnly: true
      recursiveReadOnly: Disabled
  hostIP: 10.0.0.12
  hostIPs:
  - ip: 10.0.0.12
  phase: Running
  podIP: 10.244.1.7
  podIPs:
  - ip: 10.244.1.7
  qosClass: BestEffort
  startTime: "2024-05-14T09:21:07Z"
`;
