/**
 * Pods of an image that a registry gives to some only.
 *
 * @module
 */

import type { PullImageRequest } from "../../../proto/gen/runtime/v1/api.ts";
import type { CoreRig } from "./core_rig.ts";
import { busybox, web } from "./manifests.ts";

/** The image; the registry's name is `r.example`. */
export const PRIVATE_IMAGE = "r.example/team/app:1";

/** From now on the registry gives the image to these logins only. */
export function wantLogin(rig: CoreRig, ...logins: readonly string[]): void {
  const image = { ref: PRIVATE_IMAGE };
  rig.fake.setRegistry(PRIVATE_IMAGE, { kind: "image", image, logins });
}

/** A pod of the image, with a container of its name, that names Secrets for it. */
export function privatePod(
  name: string,
  secrets: readonly string[] = [],
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return web({
    name,
    spec: {
      containers: [busybox(name, { image: PRIVATE_IMAGE, ...fields })],
      imagePullSecrets: secrets.map((name) => ({ name })),
    },
  });
}

/** A Secret of logins by registry. */
export function pullSecret(
  name: string,
  logins: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": dockerConfig(logins) },
  };
}

/** Docker's configuration with logins by registry. */
export function dockerConfig(
  logins: Readonly<Record<string, string>>,
): string {
  const auths = Object.fromEntries(
    Object.entries(logins).map(([key, login]) => [key, { auth: btoa(login) }]),
  );
  return JSON.stringify({ auths });
}

/** The logins with which the runtime was asked to pull, in order. */
export function triedLogins(rig: CoreRig): (string | undefined)[] {
  return rig.fake.callsOf("PullImage").map(({ request }) => {
    // The fake decodes each request by its method.
    const { auth } = request as PullImageRequest;
    return auth && `${auth.username}:${auth.password}`;
  });
}

/** Why the container of a pod waits. */
export function waitingReason(rig: CoreRig, name: string): string | undefined {
  return rig.status(name)?.containerStatuses?.[0]?.state?.waiting?.reason;
}
