/**
 * The help texts.
 *
 * @module
 */

import { KUBELET_FLAGS, RUN_FLAGS } from "../../config/mod.ts";
import type { CommandName } from "./command.ts";

const OVERVIEW = `skerry runs Kubernetes Pod manifests on this machine.

Usage: skerry COMMAND [FLAGS]

Commands:
  run        run the agent
  kubelet    run it in the kubelet's place, with the kubelet's flags
  get        list pods, what makes them, what happened to them, or the sources of manifests
  describe   show all that is known of a pod, or of what makes pods
  explain    say why a pod is not running, or where a Service leads
  apply      write manifests into the folder
  diff       show what apply would change
  delete     take manifests out of the folder
  scale      change how many replicas a manifest wants
  set        change the images in a manifest
  rollout    watch, restart, pause and take back rollouts
  logs       show the log of a container
  top        show what processor time and memory the node or its pods use
  df         show what pods and images take of the disk
  images     list the images of the runtime, and who uses them
  metrics    show the metrics of the agent
  validate   check manifests, without an agent
  install    print a systemd unit for the agent
  version    show the version

Run "skerry COMMAND --help" for the flags of a command.
`;

const LOCATION = `Where the agent is:
  --control-socket PATH   its socket (default RUN-DIR/skerry.sock)
  --root-dir PATH         its root directory
  --config FILE           its configuration file
`;

const NAMED =
  `NAME is the name in the manifest, or the full name with the node's name behind it.
  -n, --namespace NAME    (default "default")
`;

const FOLDER =
  `The folder of manifests is the truth: they are changed, and the agent sees it. What
somebody else wrote keeps its comments and its order, or is not changed.
      --pod-manifest-path PATH  the folder (default as "run" has it)
  -n, --namespace NAME          (default "default")
      --dry-run client          only say what would be done

${LOCATION}`;

const TEXTS: Readonly<Record<CommandName, string>> = {
  run: `Run the agent until it is told to stop. Containers go on without it.

Usage: skerry run [FLAGS]

Flags outrank the configuration file, which outranks the defaults.
${runFlags()}

Exit codes: 0 stopped, 1 failed, 64 bad flags, bad configuration or a missing grant.
`,

  kubelet: `Run the agent in the kubelet's place, until it is told to stop.

Usage: skerry kubelet [FLAGS]
       kubelet [FLAGS]          where the program bears that name

FLAGS are the kubelet's own, and those of "run" besides; they outrank --config and the files
*.conf of --config-dir. What has no effect is listed once in the log. Other defaults than
those of "run": --root-dir /var/lib/kubelet, --manifest-files kubelet.
  --version                 the version by which tools judge a kubelet

Flags of the kubelet:
${kubeletFlags()}

Exit codes: 0 stopped, 1 failed, 64 bad flags, bad configuration or a missing grant.
`,

  get: `List the pods of the agent: desired, refused and terminating ones.
Or list what makes pods or is named by them, what happened, or the sources of manifests
and what is wrong with each.

Usage: skerry get KIND[,KIND...] [NAME...] [FLAGS]
       skerry get KIND/NAME... [FLAGS]
       skerry get events [--for pod/NAME] [FLAGS]
       skerry get sources [-o FORMAT]

KIND is all or one of pods (po), deployments (deploy), replicasets (rs), daemonsets (ds),
statefulsets (sts), jobs, cronjobs (cj), replicationcontrollers (rc), services (svc),
controllerrevisions, persistentvolumeclaims (pvc), configmaps (cm), secrets,
runtimeclasses, priorityclasses (pc).
Of a pod ${NAMED}  -A, --all-namespaces
  -l, --selector QUERY    only what has these labels, such as app=web,tier!=cache
      --field-selector Q  only what has these fields, such as metadata.name=web
  -o, --output FORMAT     json, yaml, wide, name, jsonpath=TEMPLATE or
                          custom-columns=HEADING:.path,...
  -w, --watch             go on with what changes
      --for pod/NAME      the events of one pod

${LOCATION}`,

  describe:
    `Show all that is known of a pod: its spec and status, its probes with their last
results, what the agent decided last and why, and what happened to it. Or all of what
makes pods, or of what they refer to.

Usage: skerry describe pod NAME [-n NAMESPACE]
       skerry describe KIND[,KIND...] [NAME...] [-n NAMESPACE]

KIND is as with "get". Of a pod ${NAMED}
${LOCATION}`,

  explain:
    `Say in plain sentences what a pod waits for, and why it is not running; or where a
Service leads.

Usage: skerry explain [pod/]NAME [-n NAMESPACE] [-o FORMAT]
       skerry explain service/NAME [-n NAMESPACE]

${NAMED}  -o, --output FORMAT     all that is known of it instead: json or yaml

${LOCATION}`,

  apply:
    `Write manifests into the folder: new ones as files of their own, others where they are.

Usage: skerry apply -f FILE[,FILE...] [FLAGS]

FILE may be - for standard input.
${FOLDER}`,

  diff: `Show what "apply" would change.

Usage: skerry diff -f FILE[,FILE...] [FLAGS]

${FOLDER}
Exit codes: 0 nothing, 1 something would change or it failed.
`,

  delete: `Take objects out of the folder.

Usage: skerry delete KIND NAME... [FLAGS]
       skerry delete -f FILE[,FILE...] [FLAGS]

${FOLDER}`,

  scale: `Change how many replicas a manifest wants.

Usage: skerry scale KIND NAME --replicas=N [FLAGS]

${FOLDER}`,

  set: `Change the images in a manifest; * stands for all containers.

Usage: skerry set image KIND NAME CONTAINER=IMAGE... [FLAGS]

${FOLDER}`,

  rollout:
    `Wait for a rollout, show or take back its revisions, restart, pause or resume it.

Usage: skerry rollout status KIND NAME [--timeout=DURATION] [--watch=false]
       skerry rollout history KIND NAME [--revision=N]
       skerry rollout undo KIND NAME [--to-revision=N] [FLAGS]
       skerry rollout restart|pause|resume KIND NAME [FLAGS]

${FOLDER}
Exit codes of status: 0 rolled out, 1 failed or out of time.
`,

  logs: `Show the log of a container.

Usage: skerry logs POD [-c CONTAINER] [FLAGS]

POD is the name in the manifest, or the full name with the node's name behind it.
  -c, --container NAME    (default the first)
  -f, --follow            go on with what is written, until the container ends
      --tail N            only the last N lines
      --since DURATION    only what was written in that time, such as 10m
      --since-time TIME   only what was written since, such as 2006-01-02T15:04:05Z
      --limit-bytes N     no more than N bytes
  -p, --previous          the run before the latest restart
      --timestamps        start each line with its time
  -n, --namespace NAME    (default "default")

${LOCATION}`,

  top: `Show what processor time and memory the pods use, or the node.

Usage: skerry top pods [-n NAMESPACE] [-A]
       skerry top node

Processor time is that of one second, in thousandths of a processor.
  -n, --namespace NAME    (default "default")
  -A, --all-namespaces

${LOCATION}`,

  df:
    `Show what the pods take of the disk: logs, emptyDirs and what containers wrote outside
of volumes; what the images take; and what is left.

Usage: skerry df

What an emptyDir in memory takes is shown beside what is on the disk.

${LOCATION}`,

  images:
    `List the images of the runtime: how large they are, whose containers are of them or
mount them, and since when.

Usage: skerry images [-o FORMAT]

  -o, --output FORMAT     json, yaml, wide or name

${LOCATION}`,

  image:
    `There is nothing to do with a single image. "skerry images" lists them all.

To bring one to a device without a registry, give it to the runtime itself. For containerd:

  ctr --namespace k8s.io images import FILE
`,

  metrics: `Show the metrics of the agent in the Prometheus text format.

Usage: skerry metrics [FLAGS]

${LOCATION}`,

  install:
    `Print a systemd unit for an agent with these flags. Nothing is written: send the
output where you want it, such as /etc/systemd/system/skerry.service.

Usage: skerry install [--program PATH] [FLAGS OF run]

  --program PATH   the executable that the unit starts (default /usr/bin/skerry)

With --notify-socket=/run/systemd/notify the unit waits until the agent is ready, and
restarts one that hangs; an executable has to be compiled with this flag, too.

Exit codes: 0 printed, 64 bad flags or bad configuration.
`,

  version: `Show the version.

Usage: skerry version
`,

  validate:
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
`,
};

/** The flags of `run`, with what the table of settings says of each. */
function runFlags(): string {
  return RUN_FLAGS.flatMap(({ flag, help }) =>
    help.split("\n").map((line, index) => {
      const usage = index === 0 ? `  --${flag.name} ${flag.argument}` : "";
      return `${usage.padEnd(36)} ${line}`;
    })
  ).join("\n");
}

/** Their names; what becomes of each stands in docs/kubelet-flags.md. */
function kubeletFlags(): string {
  const lines = [""];
  for (const { name } of KUBELET_FLAGS) {
    const line = `${lines.at(-1)} --${name}`;
    if (line.length <= 90) lines.splice(-1, 1, line);
    else lines.push(` --${name}`);
  }
  return lines.map((line) => ` ${line}`).join("\n");
}

/** The help of one command, or of all together. */
export function helpText(topic: CommandName | undefined): string {
  return topic === undefined ? OVERVIEW : TEXTS[topic];
}
