/**
 * The settings about images and the registries that they come from.
 *
 * @module
 */

import type { Settings } from "./agent_config.ts";
import { localEndpoint } from "./local_endpoint.ts";
import {
  choice,
  givenPath,
  listOf,
  nonEmpty,
  orEmpty,
  single,
  text,
} from "./decoders.ts";
import { imagePattern } from "./image_pattern.ts";
import { field, flag, listFlag, type Rows } from "./setting.ts";

/** Their rows in the table of settings. */
export const IMAGE_ROWS: Rows<Settings["images"]> = {
  credentialFiles: {
    flag: listFlag("image-credentials FILE", single(givenPath)),
    help:
      "docker's config.json with logins for registries,\nbeside ROOT-DIR/config.json; may be repeated",
    skerry: field("imageCredentials", listOf(givenPath)),
    fallback: [],
    access: "read",
  },
  credentialEndpoint: {
    flag: flag("image-credential-endpoint URL", nonEmpty(localEndpoint)),
    help:
      "a service that gives logins for registries, in the shape\nof the kubelet's credential provider plugins: unix:///…\nor http on a loopback address",
    skerry: field("imageCredentialEndpoint", localEndpoint),
    access: "write",
    net: "endpoint",
  },
  credentialMatchImages: {
    skerry: field("imageCredentialMatchImages", listOf(nonEmpty(text))),
    fallback: [],
  },
  verificationPolicy: {
    kubelet: field(
      "imagePullCredentialsVerificationPolicy",
      orEmpty(choice([
        "NeverVerify",
        "NeverVerifyPreloadedImages",
        "NeverVerifyAllowlistedImages",
        "AlwaysVerify",
      ])),
    ),
    fallback: "NeverVerifyPreloadedImages",
  },
  verificationAllowlist: {
    kubelet: field(
      "preloadedImagesVerificationAllowlist",
      listOf(imagePattern),
    ),
    fallback: [],
  },
};
