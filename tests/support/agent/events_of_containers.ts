/**
 * The kubelet's events about containers.
 *
 * @module
 */

import {
  apply,
  ASK,
  type EventRow,
  normal,
  of,
  REFUSED,
  runWeb,
  SERVER,
  warning,
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
      normal("Pulling", 'Pulling image "localhost/far:1"', SERVER),
      normal(
        "Pulled",
        /^Successfully pulled image "localhost\/far:1" in \S+ \(\S+ including waiting\)\. Image size: 1234 bytes\.$/,
        SERVER,
      ),
    ],
  },
  {
    when: "an image is pulled whose Secret is not there",
    run: apply(web({
      spec: {
        containers: [busybox(WEB, { image: "localhost/none:1" })],
        imagePullSecrets: [{ name: "one" }, { name: "two" }, {}],
      },
    })),
    told: [
      warning(
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (one, two); attempting to pull the image may not succeed.",
        SERVER,
      ),
    ],
  },
  {
    when: "a container starts of an image that is there",
    run: apply(),
    told: [
      normal(
        "Pulled",
        'Container image "localhost/busybox:1.35" already present on machine and can be accessed by the pod',
        SERVER,
      ),
      normal("Created", "Container created", SERVER),
      normal("Started", "Container started", SERVER),
    ],
  },
  {
    when: "an init container starts",
    run: apply(web({ spec: { initContainers: [busybox("first")] } })),
    told: [
      normal("Started", "Container started", "spec.initContainers{first}"),
    ],
  },
  {
    when: "an image cannot be pulled",
    run: apply(of({ image: "localhost/none:1" })),
    told: [
      warning(
        "Failed",
        /^Failed to pull image "localhost\/none:1": .+/,
        SERVER,
      ),
      warning("Failed", "Error: ErrImagePull", SERVER),
      normal("BackOff", 'Back-off pulling image "localhost/none:1"', SERVER),
      warning("Failed", "Error: ImagePullBackOff", SERVER),
    ],
  },
  {
    when: "an image cannot be looked for",
    rig: { prepare: ({ fake }) => fake.fault("ImageStatus", REFUSED) },
    run: apply(),
    told: [
      warning(
        "InspectFailed",
        /^Failed to inspect image "localhost\/busybox:1\.35": .*no luck/,
        SERVER,
      ),
      warning("Failed", "Error: ImageInspectError", SERVER),
    ],
  },
  {
    when: "an image is missing that must not be pulled",
    run: apply(of({ image: "localhost/none:1", imagePullPolicy: "Never" })),
    told: [
      warning(
        "ErrImageNeverPull",
        'Container image "localhost/none:1" is not present with pull policy of Never',
        SERVER,
      ),
      warning("Failed", "Error: ErrImageNeverPull", SERVER),
    ],
  },
  {
    when: "a container crashes again and again",
    run: async (rig) => {
      rig.fake.behave(WEB, { exit: { code: 1, afterMs: 100 } });
      await rig.apply("web", web({ uid: "u-1" }));
    },
    told: [
      warning(
        "BackOff",
        /^Back-off restarting failed container server in pod web-edge1_default\(\S+\)$/,
        SERVER,
      ),
    ],
  },
  {
    when: "a container cannot be created",
    rig: { prepare: ({ fake }) => fake.fault("CreateContainer", REFUSED) },
    run: apply(),
    told: [warning("Failed", "Error: no luck", SERVER)],
  },
  {
    when: "a container cannot be started",
    rig: { prepare: ({ fake }) => fake.fault("StartContainer", REFUSED) },
    run: apply(),
    told: [
      normal("Created", "Container created", SERVER),
      warning("Failed", "Error: no luck", SERVER),
    ],
  },
  {
    when: "a pod is removed",
    run: async (rig) => {
      await runWeb(rig);
      await rig.remove("web");
    },
    told: [normal("Killing", "Stopping container server", SERVER)],
  },
  {
    when: "the definition of a container changes",
    run: async (rig) => {
      await runWeb(rig, web({ uid: "u-1" }));
      rig.fake.addImage({ ref: "localhost/other:1" });
      const containers = [busybox(WEB, { image: "localhost/other:1" })];
      await rig.apply("web", web({ uid: "u-1", spec: { containers } }));
    },
    told: [
      normal(
        "Killing",
        "Container server definition changed, will be restarted",
        SERVER,
      ),
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
      warning("Unhealthy", "Liveness probe failed: not well", SERVER),
      normal(
        "Killing",
        "Container server failed liveness probe, will be restarted",
        SERVER,
      ),
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
      warning(
        "Unhealthy",
        /^Readiness probe errored and resulted in unknown state: .*no luck/,
        SERVER,
      ),
    ],
  },
  {
    when: "a postStart hook fails",
    run: async (rig) => {
      rig.fake.settings.exec = () => ({ exitCode: 7 });
      await rig.apply("web", of({ lifecycle: { postStart: { exec: ASK } } }));
    },
    told: [
      warning("FailedPostStartHook", "PostStartHook failed", SERVER),
      normal("Killing", "FailedPostStartHook", SERVER),
    ],
  },
  {
    when: "a preStop hook fails",
    run: async (rig) => {
      rig.fake.settings.exec = () => ({ exitCode: 7 });
      await runWeb(rig, of({ lifecycle: { preStop: { exec: ASK } } }));
      await rig.remove("web");
    },
    told: [warning("FailedPreStopHook", "PreStopHook failed", SERVER)],
  },
];
