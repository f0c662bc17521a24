/**
 * Where containerd keeps what its CRI makes.
 *
 * @module
 */

/** The namespace of all that containerd's CRI makes; there is no setting for it. */
export const CRI_NAMESPACE = "k8s.io";
