/**
 * The help texts.
 *
 * @module
 */

import type { Topic } from "./command.ts";

const OVERVIEW = `skerry runs Kubernetes Pod manifests on this machine.

Usage: skerry COMMAND [FLAGS]

Commands:
  run        run the agent
  get        list the pods of the agent, what happened to them, or its sources of pods
  describe   show all that is known of a pod
  explain    say why a pod is not running
  logs       show the log of a container
  metrics    show the metrics of the agent
  validate   check manifests, without an agent
  version    show the version

Run "skerry COMMAND --help" for the flags of a command.
`;

const LOCATION = `Where the agent is:
  --control-socket PATH   its socket (default RUN-DIR/skerry.sock)
  --root-dir PATH         its root directory
  --config FILE           its configuration file
`;

const RUN =
  `Run the agent until it is told to stop. Containers go on without it.

Usage: skerry run [FLAGS]

Flags outrank the configuration file, which outranks the defaults.
  --config FILE                      a KubeletConfiguration (kubelet.config.k8s.io/v1beta1),
                                     and a SkerryConfiguration (skerry.dev/v1alpha1) as second document
  --root-dir PATH                    state (default /var/lib/skerry)
  --run-dir PATH                     volatile state, on a tmpfs (default /run/skerry,
                                     with another root directory ROOT-DIR/run)
  --control-socket PATH              for clients (default RUN-DIR/skerry.sock)
  --pod-manifest-path PATH           a manifest or a directory of them (default /etc/skerry/manifests)
  --manifest-url URL                 manifests from a web server, http or https
  --manifest-url-header 'KEY: VALUE' sent to that server; may be repeated (secrets
                                     belong in staticPodURLHeader of the file)
  --manifest-url-ca-file FILE        authorities to believe, needed for https
  --manifest-url-cert-file FILE      certificate of this client
  --manifest-url-key-file FILE       private key of this client
  --manifest-url-public-key FILE     Ed25519 key; then answers must be signed, at
                                     the URL with .sig behind; may be repeated
  --http-check-frequency DURATION    how often the URL is asked (default 20s)
  --container-runtime-endpoint PATH  socket of the CRI runtime
                                     (default unix:///run/containerd/containerd.sock)
  --pod-logs-dir PATH                logs of containers (default /var/log/pods)
  --hostname-override NAME           name of the node (default the hostname)
  --node-ip IP[,IP]                  addresses of the node (default those of its interfaces)
  --node-labels KEY=VALUE,...        labels of the node
  --host-path-roots PATHS            where hostPath volumes may be checked and
                                     made; may be repeated
  --host-view DIR                    bind mounts of /sys/fs/cgroup at DIR/cgroup and
                                     of /sys/kernel/mm/hugepages at DIR/hugepages
  --manifest-files yaml|kubelet      which files are manifests: .yaml, .yml and .json (default),
                                     or every one whose name does not begin with a dot
  --unknown-fields refuse|warn       fields that no Pod has (default refuse)
  --allowed-unsafe-sysctls NAMES     sysctls beside the safe ones; may be repeated
  --pod-network CIDR                 where pods have their addresses; may be repeated
                                     (default podCIDR of the configuration file)
  --file-check-frequency DURATION    how often manifests are read again (default 20s)
  --healthz-port PORT                health endpoint on loopback, 0 for none (default 10248)

Exit codes: 0 stopped, 1 failed, 64 bad flags, bad configuration or a missing grant.
`;

const GET = `List the pods of the agent: desired, refused and terminating ones.
Or list what happened to them, or its sources of pods and what is wrong with each.

Usage: skerry get pods [NAME] [FLAGS]
       skerry get events [--for pod/NAME] [FLAGS]
       skerry get sources [-o FORMAT]

NAME is the name in the manifest, or the full name with the node's name behind it.
  -n, --namespace NAME    (default "default")
  -A, --all-namespaces
  -o, --output FORMAT     json, yaml, wide or name
  -w, --watch             go on with what changes
      --for pod/NAME      the events of one pod

${LOCATION}`;

const DESCRIBE =
  `Show all that is known of a pod: its spec and status, its probes with their last
results, what the agent decided last and why, and what happened to it.

Usage: skerry describe pod NAME [-n NAMESPACE]

NAME is the name in the manifest, or the full name with the node's name behind it.
  -n, --namespace NAME    (default "default")

${LOCATION}`;

const EXPLAIN =
  `Say in plain sentences what a pod waits for, and why it is not running.

Usage: skerry explain [pod/]NAME [-n NAMESPACE] [-o FORMAT]

NAME is the name in the manifest, or the full name with the node's name behind it.
  -n, --namespace NAME    (default "default")
  -o, --output FORMAT     all that is known of it instead: json or yaml

${LOCATION}`;

const LOGS = `Show the log of a container.

Usage: skerry logs POD [-c CONTAINER] [FLAGS]

POD is the name in the manifest, or the full name with the node's name behind it.
  -c, --container NAME    (default the first)
  -f, --follow            go on with what is written, until the container ends
      --tail N            only the last N lines
  -p, --previous          the run before the latest restart
      --timestamps        start each line with its time
  -n, --namespace NAME    (default "default")

${LOCATION}`;

const METRICS = `Show the metrics of the agent in the Prometheus text format.

Usage: skerry metrics [FLAGS]

${LOCATION}`;

const VERSION = `Show the version.

Usage: skerry version
`;

const VALIDATE =
  `Check manifests and tell every fault, every warning and what is in them. Needs no agent.

Usage: skerry validate [--unknown-fields=warn] [--pod-network=CIDR] FILE...

FILE may be a directory, and - is standard input. Of a directory the files are checked
that the agent would read. An object that a pod refers to and that is in none of the
files is a warning.

Flags:
  --unknown-fields refuse|warn   what becomes of fields that the API does not have
                                 (default refuse)
  --pod-network CIDR[,CIDR]      the networks that the agent is given: probes and hooks
                                 must not name hosts outside; without it a pod that
                                 is asked over the network is a warning

Exit codes: 0 no fault, 1 any fault, 64 bad flags.
`;

const TEXTS: Readonly<Record<Topic, string>> = {
  run: RUN,
  get: GET,
  describe: DESCRIBE,
  explain: EXPLAIN,
  logs: LOGS,
  metrics: METRICS,
  version: VERSION,
  validate: VALIDATE,
};

/** The help of one command, or of all together. */
export function helpText(topic: Topic | undefined): string {
  return topic === undefined ? OVERVIEW : TEXTS[topic];
}
