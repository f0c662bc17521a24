/**
 * The kubelet's events about pods as a whole.
 *
 * @module
 */

import {
  apply,
  cpu,
  type EventRow,
  normal,
  of,
  REFUSED,
  runWeb,
  warning,
} from "./events_row.ts";
import { WEB, web } from "./manifests.ts";

/** One row for what the kubelet tells of pods. */
export const POD_EVENT_ROWS: readonly EventRow[] = [
  {
    when: "the runtime cannot say how a pod is",
    run: async (rig) => {
      await runWeb(rig);
      rig.fake.fault("ContainerStatus", REFUSED);
      rig.fake.fault("PodSandboxStatus", REFUSED);
      rig.fake.exitContainer(rig.only(WEB).id, 1);
    },
    told: [
      warning("FailedSync", /^error determining status: .*no luck/),
    ],
  },
  {
    when: "a sandbox cannot be made",
    rig: { prepare: ({ fake }) => fake.fault("RunPodSandbox", REFUSED) },
    run: apply(),
    told: [
      warning(
        "FailedCreatePodSandBox",
        "Failed to create pod sandbox: no luck",
      ),
    ],
  },
  {
    when: "the network of the node is not ready",
    rig: { prepare: ({ fake }) => void (fake.settings.networkReady = false) },
    run: apply(),
    told: [
      warning(
        "FailedCreatePodSandBox",
        /^Failed to create pod sandbox: .*network/,
      ),
    ],
  },
  {
    when: "a new sandbox cannot be looked at",
    rig: {
      prepare: ({ fake }) =>
        fake.fault("PodSandboxStatus", REFUSED, { times: 1 }),
    },
    run: apply(),
    told: [
      warning(
        "FailedPodSandBoxStatus",
        "Unable to get pod sandbox status: no luck",
      ),
    ],
  },
  {
    when: "a sandbox ends",
    run: async (rig) => {
      await runWeb(rig);
      const [sandbox] = rig.ready();
      rig.fake.killSandbox(sandbox?.id ?? "");
    },
    told: [
      normal(
        "SandboxChanged",
        "Pod sandbox changed, it will be killed and re-created.",
      ),
    ],
  },
  {
    when: "a container cannot be stopped",
    run: async (rig) => {
      await runWeb(rig);
      rig.fake.fault("StopContainer", REFUSED, { times: 1 });
      await rig.remove("web");
    },
    told: [
      warning("FailedKillPod", /^error killing pod: .*no luck/),
    ],
  },
  {
    when: "a pod stores too much, and does not end in time",
    run: async (rig) => {
      const mount = { name: "data", mountPath: "/data" };
      const volumes = [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }];
      await runWeb(rig, of({ volumeMounts: [mount] }, { volumes }));
      const delay = { kind: "delay", ms: 11_000 } as const;
      rig.fake.fault("StopContainer", delay, { times: 1 });
      const { mounts } = rig.only(WEB).config;
      const data = mounts.find((each) => each.containerPath === "/data");
      await Deno.writeFile(`${data?.hostPath}/big`, new Uint8Array(2 << 20));
    },
    told: [
      warning(
        "Evicted",
        'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
      ),
      warning(
        "ExceededGracePeriod",
        "Container runtime did not kill the pod within specified grace period.",
      ),
    ],
  },
  {
    when: "a volume cannot be made",
    run: apply(of({ volumeMounts: [{ name: "v", mountPath: "/v" }] }, {
      volumes: [{ name: "v", configMap: { name: "m" } }],
    })),
    told: [
      warning(
        "FailedMount",
        'Cannot set up volume "v": configmap "m" not found',
      ),
    ],
  },
  {
    when: "there is no place for a pod on the disk",
    run: async (rig) => {
      const { rootDir } = rig.config.paths;
      await Deno.mkdir(`${rootDir}/pods`, { recursive: true });
      await Deno.writeTextFile(`${rootDir}/pods/u-1`, "");
      await rig.apply("web", web({ uid: "u-1" }));
    },
    told: [
      warning(
        "FailedMakePodDataDirectories",
        /^error making pod data directories: ./,
      ),
    ],
  },
  {
    when: "two manifests have a pod of one name",
    run: async (rig) => {
      await rig.apply("web", web());
      await rig.apply("web2", web());
    },
    told: [
      warning(
        "FailedValidation",
        /has a pod "default\/web-edge1" as well and had it first$/,
      ),
    ],
  },
  {
    when: "a pod has more nameservers than there can be",
    rig: { kubelet: ['clusterDNS: ["10.0.0.1", "10.0.0.2", "10.0.0.3"]'] },
    run: apply(web({ spec: { dnsConfig: { nameservers: ["10.0.0.4"] } } })),
    told: [warning("DNSConfigForming", /nameserver/)],
  },
  {
    when: "a pod wants the DNS of a cluster",
    run: apply(web({ spec: { dnsPolicy: "ClusterFirstWithHostNet" } })),
    told: [
      warning("MissingClusterDNS", /ClusterFirstWithHostNet/),
    ],
  },
  {
    when: "a pod asks for more than the node has",
    run: apply(cpu("4000")),
    told: [warning("OutOfcpu", /^Node didn't have enough/)],
  },
  {
    when: "a pod wants another kind of node",
    run: apply(web({ spec: { nodeSelector: { disk: "ssd" } } })),
    told: [warning("NodeAffinity", /node selector|affinity/)],
  },
  {
    when: "a pod has run for as long as it may",
    run: apply(web({ spec: { activeDeadlineSeconds: 5 } })),
    told: [
      normal(
        "DeadlineExceeded",
        "Pod was active on the node longer than the specified deadline",
      ),
    ],
  },
  {
    when: "a running container gets other resources",
    run: async (rig) => {
      await runWeb(rig, cpu("100m"));
      await rig.apply("web", cpu("200m"));
    },
    told: [
      normal(
        "ResizeStarted",
        /^Pod resize started: \{"containers":\[\{"name":"server",.*200m/,
      ),
      normal(
        "ResizeCompleted",
        /^Pod resize completed: \{"containers":\[\{"name":"server",.*200m/,
      ),
    ],
  },
  {
    when: "a running container shall get more than the node has",
    run: async (rig) => {
      await runWeb(rig, cpu("100m"));
      await rig.apply("web", cpu("4000"));
    },
    told: [warning("ResizeInfeasible", /./)],
  },
  {
    when: "the runtime refuses other resources",
    run: async (rig) => {
      await runWeb(rig, cpu("100m"));
      rig.fake.fault("UpdateContainerResources", REFUSED);
      await rig.apply("web", cpu("200m"));
    },
    told: [warning("ResizeError", "no luck")],
  },
];
