/**
 * Whether a pod may have an image that is on the node without a registry's word.
 *
 * @module
 */

import type { ObjectRef } from "../../api/objects/mod.ts";
import { isRecord } from "../../base/mod.ts";

/** When a registry has to be asked; upstream's names. */
export type VerificationPolicy =
  | "NeverVerify"
  | "NeverVerifyPreloadedImages"
  | "NeverVerifyAllowlistedImages"
  | "AlwaysVerify";

/** For which images that is. */
export interface VerificationRules {
  readonly policy: VerificationPolicy;
  /**
   * Repositories with their registry, or the beginnings of some with `/*` behind them, that
   * the third of the policies leaves out.
   */
  readonly allowlist: readonly string[];
}

/** A Secret whose login was good for an image. */
export interface GrantedSecret extends ObjectRef {
  /** The fingerprint of the login. */
  readonly hash: string;
}

/** Who has shown a registry that it may have an image by one of its repositories. */
export interface ImageGrant {
  /** Every pod of the node: it was pulled as anyone, or with a login of the node. */
  readonly isOpen: boolean;
  /** The latest one last. */
  readonly secrets: readonly GrantedSecret[];
}

/** What is known of how an image came to the node, by repository. */
export type PulledRecord = Readonly<Record<string, ImageGrant>>;

/** More pods than run on a node; the first ones go. */
const MAX_SECRETS = 100;

/** Whether the rules want a registry's word for an image at all. Pure. */
export function wantsVerification(
  { policy, allowlist }: VerificationRules,
  image: { readonly repository: string; readonly isPulled: boolean },
): boolean {
  switch (policy) {
    case "NeverVerify":
      return false;
    case "NeverVerifyPreloadedImages":
      return image.isPulled;
    case "NeverVerifyAllowlistedImages":
      return !allowlist.some((pattern) =>
        pattern.endsWith("/*")
          ? image.repository.startsWith(pattern.slice(0, -1))
          : image.repository === pattern
      );
    case "AlwaysVerify":
      return true;
  }
}

/**
 * The Secret by which a pod has an image: one whose login was good, or that is the very
 * Secret whose login was, whatever it says by now. (Upstream: MustAttemptImagePull.)
 */
export function grantingSecret(
  { secrets }: ImageGrant,
  shown: readonly GrantedSecret[],
): GrantedSecret | undefined {
  return shown.find((one) =>
    secrets.some((known) => known.hash === one.hash || isSame(known, one))
  );
}

/**
 * The grant with one more; the same object when that is nothing new. What is open stays so.
 *
 * @param secret absent for a pull as anyone or with a login of the node
 */
export function withGrant(
  grant: ImageGrant | undefined,
  secret: GrantedSecret | undefined,
): ImageGrant {
  if (grant?.isOpen) return grant;
  if (secret === undefined) return { isOpen: true, secrets: [] };
  const known = grant?.secrets ?? [];
  const isKnown = known.some((one) =>
    isSame(one, secret) && one.hash === secret.hash
  );
  if (grant !== undefined && isKnown) return grant;
  const others = known.filter((one) => !isSame(one, secret));
  return {
    isOpen: false,
    secrets: [...others.slice(-(MAX_SECRETS - 1)), secret],
  };
}

function isSame(a: ObjectRef, b: ObjectRef): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}

/** Whether a value that was on a disk is a record. */
export function isPulledRecord(value: unknown): value is PulledRecord {
  return isRecord(value) && Object.values(value).every(isGrant);
}

function isGrant(value: unknown): value is ImageGrant {
  return isRecord(value) && typeof value["isOpen"] === "boolean" &&
    Array.isArray(value["secrets"]) && value["secrets"].every(isSecret);
}

function isSecret(value: unknown): value is GrantedSecret {
  return isRecord(value) &&
    ["namespace", "name", "hash"].every((key) =>
      typeof value[key] === "string"
    );
}
