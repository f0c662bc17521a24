/**
 * Where the agent finds credentials of images.
 *
 * @module
 */

import { type Clock, Semaphore } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import { AnswerError, httpPost, type PostTarget } from "../host/clients/mod.ts";
import { readFileBounded, TimeLimit } from "../host/files/mod.ts";
import {
  type AskProvider,
  CredentialEndpoint,
  ImageCredentials,
  NodeConfigFiles,
} from "../runtime/credentials/mod.ts";
import type { PodObjects } from "../pod/inputs/mod.ts";

/** Secrets, files and a service, as far as settings name them. */
export function imageCredentials(
  { images, paths }: AgentConfig,
  deps: { readonly objects: PodObjects; readonly clock: Clock },
): ImageCredentials {
  const { credentialEndpoint: name, credentialMatchImages } = images;
  // What lies on a hung mount would hold up each pull for good, and keep a thread for it.
  const limit = new TimeLimit(deps.clock, {
    limitMs: LIMIT_MS,
    asksAgain: true,
  });
  // Of many pulls at once the first one finds out that a file hangs.
  const turns = new Semaphore(1);
  const files = new NodeConfigFiles({
    paths: images.credentialFiles,
    rootDir: paths.rootDir,
  }, {
    readFile: async (path, maxBytes) => {
      using _turn = await turns.acquire();
      return await limit.run(path, () => readFileBounded(path, maxBytes));
    },
  });
  const options = { matchImages: credentialMatchImages };
  const endpoints = name === undefined ? [] : [
    new CredentialEndpoint(
      { ...deps, ask: askAt(name) },
      { ...options, name },
    ),
  ];
  return new ImageCredentials({ ...deps, node: [files, ...endpoints] });
}

// A healthy disk answers in milliseconds.
const LIMIT_MS = 3000;

function askAt(name: string): AskProvider {
  const target: PostTarget = name.startsWith("/")
    ? { kind: "socket", path: name }
    : { kind: "url", url: new URL(name) };
  return async (body, { maxBytes: maxBodyBytes, signal }) => {
    const asked = httpPost(target, { body, maxBodyBytes, signal });
    const answer = await asked.catch((error: unknown) => {
      throw error instanceof AnswerError ? unquoted(error) : error;
    });
    const { status, body: bytes, bodyEnd } = answer;
    // The reason counts, and not that the connection was closed for it.
    signal.throwIfAborted();
    return { status, body: bytes, isWhole: bodyEnd === "whole" };
  };
}

/** Without what it quotes of the answer, where logins may stand. */
function unquoted({ message }: AnswerError): Error {
  return new Error(message.split('"', 1)[0]?.trimEnd());
}
