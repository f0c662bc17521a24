/**
 * Clients for servers that are not trusted: HTTP/1.1, gRPC health over HTTP/2, and TCP.
 * Each asks one question on one connection, within a deadline and bounded memory,
 * whatever the other end sends. And a socket to the service manager, which is only told.
 *
 * @example Where a URL leads
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { addressOf } from "./mod.ts";
 *
 * deepStrictEqual(addressOf(new URL("https://[fd00::1]/healthz")), {
 *   host: "fd00::1",
 *   port: 443,
 * });
 * ```
 *
 * @module
 */

export {
  AnswerError,
  ConnectError,
  connectFailure,
  connectTcp,
  isOwnFault,
  type TcpAddress,
} from "./tcp_connect.ts";
export { NotifySocket } from "./notify_socket.ts";
export { NotTlsError } from "./byte_link.ts";
export { checkHealth, type HealthAnswer } from "./grpc_health.ts";
export { callHttp2 } from "./http2_call.ts";
export { httpPost, type PostTarget } from "./http_post.ts";
export { type HttpAnswer, readAnswer } from "./http_answer.ts";
export {
  type Download,
  download,
  DownloadError,
  type DownloadTls,
} from "./http_download.ts";
export {
  addressOf,
  getFollowing,
  httpGet,
  type HttpGetOptions,
  type SendGet,
  TooManyRedirectsError,
} from "./http_get.ts";
