/**
 * All kinds of objects at an API server by one client.
 *
 * @module
 */

import type {
  AccessRef,
  DeleteOptions,
  KindRef,
  NewObject,
  ObjectClient,
} from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { ApiCaller } from "../transport/mod.ts";
import { KubeKind, type KubeKindOptions } from "./kube_kind.ts";
import { kubeResource } from "./kube_resources.ts";

/** Writes objects of any kind that a node asks for. */
export class KubeObjects implements ObjectClient {
  readonly #api: ApiCaller;
  readonly #options: KubeKindOptions;

  constructor(api: ApiCaller, options: KubeKindOptions = {}) {
    this.#api = api;
    this.#options = options;
  }

  get(ref: AccessRef, signal: AbortSignal): Promise<ApiObject> {
    return this.#kind(ref).get(ref, signal);
  }

  create(object: NewObject, signal: AbortSignal): Promise<ApiObject> {
    return this.#kind(object).create(object, signal);
  }

  update(object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    return this.#kind(object).update(object, {}, signal);
  }

  updateStatus(object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    const place = { subresource: "status" };
    return this.#kind(object).update(object, place, signal);
  }

  patch(
    ref: AccessRef & { readonly uid?: string },
    patch: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    const { uid } = ref;
    const { metadata } = patch;
    // A server compares the uid of a patch with that of the object.
    const body = uid === undefined
      ? patch
      : { ...patch, metadata: { ...Object(metadata), uid } };
    return this.#kind(ref).patch(ref, { type: "merge", body }, signal);
  }

  delete(
    ref: AccessRef,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#kind(ref).delete(ref, options, signal);
  }

  #kind(kind: KindRef): KubeKind<ApiObject> {
    return new KubeKind(this.#api, kubeResource(kind), this.#options);
  }
}
