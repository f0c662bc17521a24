/**
 * The edge to the operating system: files, directories, locks and facts.
 *
 * @module
 */

export { AnswerError } from "./answer_error.ts";
export * from "./atomic_write.ts";
export * from "./bounded_read.ts";
export * from "./cgroup_tree.ts";
export { type FileBelow, useFileBelow } from "./file_below.ts";
export * from "./file_error.ts";
export { readFileTail } from "./file_tail.ts";
export * from "./huge_pages.ts";
export * from "./grpc_health.ts";
export * from "./http_download.ts";
export { NotTlsError } from "./byte_link.ts";
export type { BodyEnd, HttpAnswer } from "./http_answer.ts";
export * from "./http_follow.ts";
export * from "./http_get.ts";
export { addressOf, type RequestHeaders } from "./http_target.ts";
export * from "./node_facts.ts";
export * from "./remove_tree.ts";
export * from "./root_lock.ts";
export * from "./tcp_connect.ts";
export * from "./watch.ts";
export type { WatchHazard } from "./watch_hazard.ts";
