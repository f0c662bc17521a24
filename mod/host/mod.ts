/**
 * The edge to the operating system: files, directories, locks and facts.
 *
 * @module
 */

export * from "./atomic_write.ts";
export * from "./bounded_read.ts";
export * from "./cgroup_tree.ts";
export * from "./file_error.ts";
export * from "./huge_pages.ts";
export * from "./http_download.ts";
export * from "./http_get.ts";
export type { RequestHeaders } from "./http_target.ts";
export * from "./node_facts.ts";
export * from "./remove_tree.ts";
export * from "./root_lock.ts";
export * from "./watch.ts";
export type { WatchHazard } from "./watch_hazard.ts";
