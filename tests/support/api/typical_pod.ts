/**
 * A pod of the usual size and with the usual parts, some 200 lines; also what the
 * decoder is measured on.
 *
 * @module
 */

const CONTAINER = `\
  - name: web
    image: example/web:1.35
    imagePullPolicy: IfNotPresent
    command: ["sh", "-c", "while true; do date; sleep 5; done"]
    args:
    - --verbose
    - --level=3
    workingDir: /srv
    ports:
    - name: http-web
      containerPort: 8080
      protocol: TCP
    - name: metrics-web
      containerPort: 9090
    env:
    - name: MODE
      value: "production"
    - name: LOG_LEVEL
      value: info
    - name: POD_NAME
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
    - name: POD_IP
      valueFrom:
        fieldRef:
          fieldPath: status.podIP
    - name: CPU_LIMIT
      valueFrom:
        resourceFieldRef:
          resource: limits.cpu
          divisor: 1m
    resources:
      requests:
        cpu: 100m
        memory: 64Mi
      limits:
        cpu: 500m
        memory: 128Mi
    livenessProbe:
      httpGet:
        path: /healthz
        port: http-web
      initialDelaySeconds: 5
      periodSeconds: 10
    readinessProbe:
      tcpSocket:
        port: 8080
      periodSeconds: 5
    startupProbe:
      exec:
        command: ["cat", "/tmp/ready"]
      failureThreshold: 30
    lifecycle:
      preStop:
        exec:
          command: ["sh", "-c", "sleep 2"]
    securityContext:
      runAsUser: 1000
      runAsNonRoot: true
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: ["ALL"]
        add: ["NET_BIND_SERVICE"]
    volumeMounts:
    - name: data
      mountPath: /data
    - name: config
      mountPath: /etc/app
      readOnly: true
    - name: tmp
      mountPath: /tmp
`;

/** The manifest as a user writes it. */
export const TYPICAL_POD: string = `\
apiVersion: v1
kind: Pod
metadata:
  name: typical
  namespace: shop
  labels:
    app.kubernetes.io/name: typical
    app.kubernetes.io/part-of: shop
    tier: backend
  annotations:
    example.com/owner: "team-a"
    example.com/note: |
      A note
      on two lines.
spec:
  restartPolicy: Always
  terminationGracePeriodSeconds: 20
  hostAliases:
  - ip: 10.1.2.3
    hostnames: [db.local, db]
  securityContext:
    fsGroup: 2000
    seccompProfile:
      type: RuntimeDefault
  initContainers:
  - name: prepare
    image: example/prepare:2
    command: ["sh", "-c", "echo hello > /data/hello"]
    volumeMounts:
    - name: data
      mountPath: /data
  containers:
${CONTAINER}${CONTAINER.replaceAll("web", "worker")}  tolerations:
  - key: dedicated
    operator: Equal
    value: edge
    effect: NoSchedule
  volumes:
  - name: data
    emptyDir:
      sizeLimit: 1Gi
  - name: config
    hostPath:
      path: /srv/config
      type: Directory
  - name: tmp
    emptyDir:
      medium: Memory
`;
