/**
 * The source of pods that asks a URL, if one is configured.
 *
 * @module
 */

import type { AgentConfig } from "../config/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import { DiskSetCheckpoint, dropSetCheckpoint } from "../source/records/mod.ts";
import { UrlSource, type UrlSourceDeps } from "../source/url/mod.ts";

/** What {@linkcode buildUrlSource} leaves to the caller. */
export type UrlSourceParts =
  & Omit<UrlSourceDeps, "checkpoint" | "readFile" | "events">
  & Required<Pick<UrlSourceDeps, "events">>;

/** Builds the URL source; `undefined` when no URL is configured. */
export function buildUrlSource(
  config: Pick<AgentConfig, "source" | "node" | "paths">,
  deps: UrlSourceParts,
): UrlSource | undefined {
  const { source: { manifestUrl }, node, paths } = config;
  if (manifestUrl === undefined) return undefined;
  const { caFile, certFile, keyFile } = manifestUrl;
  const url = manifestUrl.url.reveal();
  const checkpoint = new DiskSetCheckpoint({
    source: "http",
    origin: url,
    ...checkpointPlaces(paths),
  }, deps);
  return new UrlSource({
    url,
    nodeName: node.name,
    headers: manifestUrl.headers.reveal(),
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
    publicKeyFiles: manifestUrl.publicKeyFiles,
    checkFrequencyMs: manifestUrl.checkFrequencyMs,
    unknownFields: node.unknownFields,
  }, { ...deps, checkpoint, readFile: readFileBounded });
}

/** Forgets what a URL brought once, if none is configured any more. */
export async function dropUrlCheckpoint(
  config: Pick<AgentConfig, "source" | "paths">,
  deps: Pick<UrlSourceParts, "clock" | "log">,
): Promise<void> {
  if (config.source.manifestUrl !== undefined) return;
  await dropSetCheckpoint(checkpointPlaces(config.paths), deps);
}

function checkpointPlaces(
  paths: AgentConfig["paths"],
): { readonly directory: string; readonly secretDirectory: string } {
  return {
    directory: `${paths.rootDir}/checkpoints/url`,
    secretDirectory: `${paths.runDir}/url-secrets`,
  };
}
