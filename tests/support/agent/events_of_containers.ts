/**
 * The kubelet's events about containers.
 *
 * @module
 */

import {
  apply,
  ASK,
  type EventRow,
  of,
  REFUSED,
  running,
  SERVER,
} from "./events_row.ts";
import { busybox, WEB, web } from "./manifests.ts";

/** One row for what the kubelet tells of containers. */
export const CONTAINER_EVENT_ROWS: readonly EventRow[] = [
  {
    when: "an image is pulled",
    run: async (rig) => {
      const image = { ref: "localhost/far:1", size: 1234 };
      rig.fake.setRegistry(image.ref, { kind: "image", image });
      await rig.apply("web", of({ image: image.ref }));
    },
    told: [
      ["Normal", "Pulling", SERVER, 'Pulling image "localhost/far:1"'],
      [
        "Normal",
        "Pulled",
        SERVER,
        /^Successfully pulled image "localhost\/far:1" in \S+ \(\S+ including waiting\)\. Image size: 1234 bytes\.$/,
      ],
    ],
  },
  {
    when: "a container starts of an image that is there",
    run: apply(),
    told: [
      [
        "Normal",
        "Pulled",
        SERVER,
        'Container image "localhost/busybox:1.35" already present on machine and can be accessed by the pod',
      ],
      ["Normal", "Created", SERVER, "Container created"],
      ["Normal", "Started", SERVER, "Container started"],
    ],
  },
  {
    when: "an init container starts",
    run: apply(web({ spec: { initContainers: [busybox("first")] } })),
    told: [
      [
        "Normal",
        "Started",
        "spec.initContainers{first}",
        "Container started",
      ],
    ],
  },
  {
    when: "an image cannot be pulled",
    run: apply(of({ image: "localhost/none:1" })),
    told: [
      [
        "Warning",
        "Failed",
        SERVER,
        /^Failed to pull image "localhost\/none:1": .+/,
      ],
      ["Warning", "Failed", SERVER, "Error: ErrImagePull"],
      [
        "Normal",
        "BackOff",
        SERVER,
        'Back-off pulling image "localhost/none:1"',
      ],
      ["Warning", "Failed", SERVER, "Error: ImagePullBackOff"],
    ],
  },
  {
    when: "an image cannot be looked for",
    rig: { prepare: ({ fake }) => fake.fault("ImageStatus", REFUSED) },
    run: apply(),
    told: [
      [
        "Warning",
        "InspectFailed",
        SERVER,
        /^Failed to inspect image "localhost\/busybox:1\.35": .*no luck/,
      ],
      ["Warning", "Failed", SERVER, "Error: ImageInspectError"],
    ],
  },
  {
    when: "an image is missing that must not be pulled",
    run: apply(of({ image: "localhost/none:1", imagePullPolicy: "Never" })),
    told: [
      [
        "Warning",
        "ErrImageNeverPull",
        SERVER,
        'Container image "localhost/none:1" is not present with pull policy of Never',
      ],
      ["Warning", "Failed", SERVER, "Error: ErrImageNeverPull"],
    ],
  },
  {
    when: "a container crashes again and again",
    run: async (rig) => {
      rig.fake.behave(WEB, { exit: { code: 1, afterMs: 100 } });
      await rig.apply("web", web({ uid: "u-1" }));
    },
    told: [
      [
        "Warning",
        "BackOff",
        SERVER,
        /^Back-off restarting failed container server in pod web-edge1_default\(\S+\)$/,
      ],
    ],
  },
  {
    when: "a container cannot be created",
    rig: { prepare: ({ fake }) => fake.fault("CreateContainer", REFUSED) },
    run: apply(),
    told: [["Warning", "Failed", SERVER, "Error: no luck"]],
  },
  {
    when: "a container cannot be started",
    rig: { prepare: ({ fake }) => fake.fault("StartContainer", REFUSED) },
    run: apply(),
    told: [
      ["Normal", "Created", SERVER, "Container created"],
      ["Warning", "Failed", SERVER, "Error: no luck"],
    ],
  },
  {
    when: "a pod is removed",
    run: async (rig) => {
      await running(rig);
      await rig.remove("web");
    },
    told: [["Normal", "Killing", SERVER, "Stopping container server"]],
  },
  {
    when: "the definition of a container changes",
    run: async (rig) => {
      await running(rig, web({ uid: "u-1" }));
      rig.fake.addImage({ ref: "localhost/other:1" });
      const containers = [busybox(WEB, { image: "localhost/other:1" })];
      await rig.apply("web", web({ uid: "u-1", spec: { containers } }));
    },
    told: [
      [
        "Normal",
        "Killing",
        SERVER,
        "Container server definition changed, will be restarted",
      ],
    ],
  },
  {
    when: "a liveness probe fails",
    run: async (rig) => {
      rig.fake.settings.exec = () => ({ exitCode: 1, stdout: "not well" });
      const livenessProbe = { exec: ASK, periodSeconds: 1 };
      await rig.apply("web", of({ livenessProbe }));
    },
    told: [
      ["Warning", "Unhealthy", SERVER, "Liveness probe failed: not well"],
      [
        "Normal",
        "Killing",
        SERVER,
        "Container server failed liveness probe, will be restarted",
      ],
    ],
  },
  {
    when: "a probe cannot be made",
    run: async (rig) => {
      rig.fake.settings.exec = () => ({
        error: { code: REFUSED.code, details: "no luck" },
      });
      const readinessProbe = { exec: ASK, periodSeconds: 1 };
      await rig.apply("web", of({ readinessProbe }));
    },
    told: [
      [
        "Warning",
        "Unhealthy",
        SERVER,
        /^Readiness probe errored and resulted in unknown state: .*no luck/,
      ],
    ],
  },
  {
    when: "a postStart hook fails",
    run: async (rig) => {
      rig.fake.settings.exec = () => ({ exitCode: 7 });
      await rig.apply("web", of({ lifecycle: { postStart: { exec: ASK } } }));
    },
    told: [
      ["Warning", "FailedPostStartHook", SERVER, "PostStartHook failed"],
      ["Normal", "Killing", SERVER, "FailedPostStartHook"],
    ],
  },
  {
    when: "a preStop hook fails",
    run: async (rig) => {
      rig.fake.settings.exec = () => ({ exitCode: 7 });
      await running(rig, of({ lifecycle: { preStop: { exec: ASK } } }));
      await rig.remove("web");
    },
    told: [["Warning", "FailedPreStopHook", SERVER, "PreStopHook failed"]],
  },
];
