/**
 * What is said on one connection, as far as a fault lets it through.
 *
 * @module
 */

import type { ServerResponse } from "node:http";
import type { RequestFault } from "./request_fault.ts";

/** The answer to one request. */
export class ScriptedAnswer {
  readonly #response: ServerResponse;
  readonly #fault: RequestFault | undefined;
  #room: number;
  #held: string | undefined;

  constructor(response: ServerResponse, fault: RequestFault | undefined) {
    this.#response = response;
    this.#fault = fault;
    this.#room = fault?.kind === "break" ? fault.afterBytes ?? 0 : Infinity;
  }

  /** Says all at once. */
  send(
    code: number,
    text: string,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    // Whoever reads a part of it knows that there is more.
    const size = new TextEncoder().encode(text).length;
    this.#open(code, { "content-length": `${size}`, ...headers });
    this.#write(text);
    // One that is all there is over, whatever was to become of a longer one.
    if (this.#room > 0) this.#response.end();
  }

  /** Begins a watch. */
  open(): void {
    this.#open(200, { "transfer-encoding": "chunked" });
    this.#response.flushHeaders();
  }

  /** Says one event of a watch. */
  event(line: string): void {
    switch (this.#fault?.kind) {
      case "repeat_events":
        return this.#write(line + line);
      case "swap_events": {
        const held = this.#held;
        this.#held = held === undefined ? line : undefined;
        return held === undefined ? undefined : this.#write(line + held);
      }
      default:
        return this.#write(line);
    }
  }

  /** Ends a watch as a server does whose time for it is over. */
  end(): void {
    if (this.#room === Infinity) this.#response.end();
  }

  /** Ends the connection without another word. */
  cut(): void {
    this.#response.destroy();
  }

  #open(code: number, headers: Readonly<Record<string, string>>): void {
    if (this.#room <= 0) return this.#stop();
    this.#response.writeHead(code, {
      "content-type": "application/json",
      ...headers,
    });
  }

  #write(text: string): void {
    if (this.#room <= 0) return;
    const bytes = new TextEncoder().encode(text);
    const said = bytes.subarray(0, Math.min(this.#room, bytes.length));
    this.#room -= said.length;
    if (this.#room > 0) this.#response.write(said);
    else this.#response.write(said, () => this.#stop());
  }

  #stop(): void {
    if (this.#fault?.kind === "break" && this.#fault.by === "cut") this.cut();
  }
}
