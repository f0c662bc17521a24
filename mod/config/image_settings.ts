/**
 * The settings about images and the registries that they come from.
 *
 * @module
 */

import type { Settings } from "./agent_config.ts";
import { choice, givenPath, listOf, orEmpty, single } from "./decoders.ts";
import { imagePattern } from "./image_pattern.ts";
import { field, listFlag, type Rows } from "./setting.ts";

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
