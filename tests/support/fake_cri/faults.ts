/**
 * What can be made to go wrong in the fake runtime.
 *
 * @module
 */

/** How a call goes wrong. */
export type Fault =
  /** It takes longer, then goes on as usual. */
  | { readonly kind: "delay"; readonly ms: number }
  /** It is refused and has no effect. */
  | { readonly kind: "error"; readonly code: number; readonly details: string }
  /** It takes effect, but the caller hears UNAVAILABLE, or never anything. */
  | { readonly kind: "drop_reply"; readonly reply?: "unavailable" | "never" }
  /** Nothing happens and nobody answers. */
  | { readonly kind: "hang" }
  /** Every connection to the runtime breaks, and the call has no effect. */
  | { readonly kind: "cut" };

/** Which calls a fault is for. */
export interface FaultOptions {
  /** @default without end */
  readonly times?: number;
  /** Looks at the request as it came over the wire. */
  readonly when?: (request: unknown) => boolean;
}

interface Trap extends FaultOptions {
  readonly method: string;
  readonly fault: Fault;
  left: number;
}

/** The faults that are set, oldest first. */
export class FaultPlan {
  readonly #traps: Trap[] = [];

  /** Adds a fault for calls of `method`, as the CRI spells it. */
  add(method: string, fault: Fault, options: FaultOptions = {}): void {
    const { times = Infinity } = options;
    this.#traps.push({ ...options, method, fault, left: times });
  }

  /** Removes all faults; calls that hang already go on hanging. */
  clear(): void {
    this.#traps.length = 0;
  }

  /** The fault for this call, and one use of it less. */
  take(method: string, request: unknown): Fault | undefined {
    const trap = this.#traps.find((trap) =>
      trap.method === method && trap.left > 0 && (trap.when?.(request) ?? true)
    );
    if (trap !== undefined) trap.left -= 1;
    return trap?.fault;
  }
}
