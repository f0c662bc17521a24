/**
 * The edge to a container runtime: ports, types, errors and the gRPC client.
 *
 * Importing it loads nothing heavy: the client arrives with `connectCri`.
 *
 * @module
 */

export { connectCri, type CriConnection } from "./connection.ts";
