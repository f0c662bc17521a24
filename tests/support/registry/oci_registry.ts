/**
 * A registry of images on the loopback address that does what a test tells it, well or badly.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  buildImagePieces,
  digest,
  type ImageRecipe,
  MANIFEST_TYPE,
} from "../../../scripts/lib/oci_image.ts";
import { type HttpServer, serveHttp } from "../peers/http_server.ts";

/** Who may pull from a repository. */
export type RegistryAccess =
  | { readonly kind: "anyone" }
  /** Whoever shows one of these `user:password`. */
  | { readonly kind: "basic"; readonly logins: readonly string[] }
  /** The same, for a token that a second server gives for it. */
  | {
    readonly kind: "bearer";
    readonly logins: readonly string[];
    /** After so many requests a token is not good any more. @default for ever */
    readonly usesOfToken?: number;
  };

/** How a layer is sent. */
export type LayerFault =
  /** A byte now and then, for ever. */
  | "slow"
  /** The connection breaks in the middle. */
  | "cut"
  /** More bytes are announced than come. */
  | "too_short"
  /** It is longer than the manifest says, without end. */
  | "endless"
  /** It is not what its digest says. */
  | "other_bytes";

/** A repository and how it behaves; what is set may be changed at any time. */
export interface Repository {
  access: RegistryAccess;
  fault: LayerFault | undefined;
  /** Names the image by its digest. */
  readonly byDigest: string;
  readonly byTag: string;
}

interface Stored extends Repository {
  readonly manifest: Uint8Array;
  readonly manifestDigest: string;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly layerDigest: string;
}

/** One request that the registry had. */
export interface RegistryRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

const TOKEN_PATH = "/token";

/** The registry; `await using` ends it with all its connections. */
export class OciRegistry implements AsyncDisposable {
  readonly requests: RegistryRequest[] = [];
  readonly #repositories = new Map<string, Stored>();
  /** The uses that are left of each token, and the repository that it is for. */
  readonly #tokens = new Map<string, { name: string; left: number }>();
  readonly #stop = new AbortController();
  #server: HttpServer | undefined;

  private constructor() {}

  /** A registry that listens and has nothing yet. */
  static async start(): Promise<OciRegistry> {
    const registry = new OciRegistry();
    registry.#server = await serveHttp((request, response) =>
      registry.#answer(request, response)
    );
    return registry;
  }

  /** As the name of an image has it. */
  get host(): string {
    return `127.0.0.1:${this.#server?.port}`;
  }

  /** Puts an image of tag `1` into a repository. */
  async add(
    name: string,
    recipe: Omit<ImageRecipe, "ref">,
    access: RegistryAccess = { kind: "anyone" },
  ): Promise<Repository> {
    const { manifest, config, layer } = await buildImagePieces(recipe);
    const manifestDigest = await digest(manifest);
    const layerDigest = await digest(layer);
    const stored: Stored = {
      access,
      fault: undefined,
      byTag: `${this.host}/${name}:1`,
      byDigest: `${this.host}/${name}@${manifestDigest}`,
      manifest,
      manifestDigest,
      layerDigest,
      blobs: new Map([[await digest(config), config], [layerDigest, layer]]),
    };
    this.#repositories.set(name, stored);
    return stored;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server?.[Symbol.asyncDispose]();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", headers: { authorization } } = request;
    const url = new URL(request.url ?? "", `http://${this.host}`);
    this.requests.push({ method, path: url.pathname, authorization });
    // Whoever is sent something for ever may go at any time.
    response.on("error", () => {});
    if (url.pathname === TOKEN_PATH) {
      return this.#giveToken(request, url, response);
    }
    const [, name = "", kind = "", reference = ""] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url.pathname) ?? [];
    const found = this.#repositories.get(name);
    if (found === undefined) return refuse(response, 404, "NAME_UNKNOWN");
    const refusal = this.#refusal(name, found.access, authorization);
    if (refusal !== undefined) {
      response.setHeader("www-authenticate", refusal);
      return refuse(response, 401, "UNAUTHORIZED");
    }
    if (kind === "manifests") {
      this.#sendManifest(request, found, { reference, response });
    } else this.#sendBlob(request, found, { reference, response });
  }

  /** What is asked of whoever may not pull, or not so. */
  #refusal(
    name: string,
    access: RegistryAccess,
    authorization: string | undefined,
  ): string | undefined {
    switch (access.kind) {
      case "anyone":
        return undefined;
      case "basic":
        return access.logins.includes(loginOf(authorization) ?? "")
          ? undefined
          : 'Basic realm="tests"';
      case "bearer": {
        const token = this.#tokens.get(
          authorization?.replace(/^Bearer /, "") ?? "",
        );
        if (token?.name === name && token.left-- > 0) return undefined;
        const realm = `http://${this.host}${TOKEN_PATH}`;
        return `Bearer realm="${realm}",service="tests",scope="repository:${name}:pull"${
          token === undefined ? "" : ',error="invalid_token"'
        }`;
      }
    }
  }

  #giveToken(
    request: IncomingMessage,
    url: URL,
    response: ServerResponse,
  ): void {
    // Clients that ask in the way of OAuth first ask again as it was before.
    if (request.method !== "GET") return refuse(response, 404, "UNSUPPORTED");
    const name =
      url.searchParams.getAll("scope").map((scope) =>
        /^repository:(.+):pull$/.exec(scope)?.[1] ?? ""
      ).find((each) => this.#repositories.has(each)) ?? "";
    const access = this.#repositories.get(name)?.access;
    const login = loginOf(request.headers.authorization);
    if (access?.kind !== "bearer" || !access.logins.includes(login ?? "")) {
      return refuse(response, 401, "UNAUTHORIZED");
    }
    const token = `token-${this.#tokens.size}`;
    this.#tokens.set(token, { name, left: access.usesOfToken ?? Infinity });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ token, expires_in: 3600 }));
  }

  #sendManifest(
    { method }: IncomingMessage,
    { manifest, manifestDigest }: Stored,
    to: { readonly reference: string; readonly response: ServerResponse },
  ): void {
    const { reference, response } = to;
    if (reference !== "1" && reference !== manifestDigest) {
      return refuse(response, 404, "MANIFEST_UNKNOWN");
    }
    response.writeHead(200, {
      "content-type": MANIFEST_TYPE,
      "content-length": manifest.length,
      "docker-content-digest": manifestDigest,
    });
    response.end(method === "HEAD" ? undefined : manifest);
  }

  #sendBlob(
    request: IncomingMessage,
    { blobs, layerDigest, fault }: Stored,
    to: { readonly reference: string; readonly response: ServerResponse },
  ): void {
    const { reference, response } = to;
    const bytes = blobs.get(reference);
    if (bytes === undefined) return refuse(response, 404, "BLOB_UNKNOWN");
    const isFaulty = reference === layerDigest && fault !== undefined;
    if (isFaulty) return this.#sendBadly(bytes, fault, response);
    const start = Number(
      /^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0,
    );
    const rest = bytes.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, {
      "content-type": "application/octet-stream",
      "content-length": rest.length,
      ...start > 0 && {
        "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
      },
    });
    response.end(rest);
  }

  #sendBadly(
    bytes: Uint8Array,
    fault: LayerFault,
    response: ServerResponse,
  ): void {
    const half = bytes.subarray(0, bytes.length / 2);
    const type = { "content-type": "application/octet-stream" };
    const whole = { ...type, "content-length": bytes.length };
    switch (fault) {
      case "slow": {
        response.writeHead(200, whole);
        response.write(bytes.subarray(0, 1));
        return this.#untilStopped(
          () => response.write(bytes.subarray(1, 2)),
          1_000,
        );
      }
      case "cut":
        response.writeHead(200, whole);
        response.write(half, () => response.socket?.destroy());
        return;
      case "too_short":
        response.writeHead(200, { ...type, "content-length": half.length });
        response.end(half);
        return;
      case "endless":
        response.writeHead(200, type);
        response.write(bytes);
        return this.#untilStopped(
          () => response.write(new Uint8Array(65_536)),
          100,
        );
      case "other_bytes":
        response.writeHead(200, whole);
        response.end(new Uint8Array(bytes.length));
    }
  }

  #untilStopped(step: () => void, everyMs: number): void {
    const timer = setInterval(step, everyMs);
    this.#stop.signal.addEventListener("abort", () => clearInterval(timer));
  }
}

function loginOf(authorization: string | undefined): string | undefined {
  const packed = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  return packed && Buffer.from(packed, "base64").toString();
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ errors: [{ code, message: code }] }));
}
