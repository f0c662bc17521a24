/**
 * What the manifests of one command hold together.
 *
 * @module
 */

import type { DecodedPod } from "../api/read/mod.ts";
import {
  formatObjectId,
  type LocalObject,
  objectId,
} from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { objectReferences } from "../pod/inputs/mod.ts";

/** Something about a file that holds only beside the others. */
export interface ContentsWarning {
  readonly file: string;
  readonly message: string;
}

/** Gathers pods and objects of several files and says what does not fit together. */
export class ManifestContents {
  readonly #pods: { readonly file: string; readonly pod: Pod }[] = [];
  readonly #objects = new Map<string, string>();
  readonly #warnings: ContentsWarning[] = [];

  /** Takes what one file holds. */
  add(
    file: string,
    content: {
      readonly pods: readonly DecodedPod[];
      readonly objects: readonly LocalObject[];
    },
  ): void {
    for (const { spec, metadata } of content.pods) {
      const namespace = metadata.namespace || "default";
      const pod: Pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, namespace, uid: metadata.uid ?? "" },
        spec,
      };
      const twin = this.#pods.find((other) =>
        other.pod.metadata.name === metadata.name &&
        other.pod.metadata.namespace === namespace
      );
      if (twin !== undefined) {
        this.#twin(file, `Pod ${namespace}/${metadata.name}`, twin.file);
      } else this.#pods.push({ file, pod });
    }
    for (const object of content.objects) {
      const name = formatObjectId(objectId(object));
      const first = this.#objects.get(name);
      if (first !== undefined) this.#twin(file, name, first);
      else this.#objects.set(name, file);
    }
  }

  /** What is there twice, and what is referred to and not there. */
  warnings(): readonly ContentsWarning[] {
    const missing = this.#pods.flatMap(({ file, pod }) => {
      const { namespace, name } = pod.metadata;
      return objectReferences(pod)
        .filter(({ optional }) => !optional)
        .map((reference) => formatObjectId(reference))
        .filter((object) => !this.#objects.has(object))
        .map((object): ContentsWarning => ({
          file,
          message:
            `Pod ${namespace}/${name} refers to ${object}, which is in none of these files`,
        }));
    });
    return [...this.#warnings, ...missing];
  }

  #twin(file: string, what: string, first: string): void {
    const message = `${what} is in ${first} as well, and only the first counts`;
    this.#warnings.push({ file, message });
  }
}
