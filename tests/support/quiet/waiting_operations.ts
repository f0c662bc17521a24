/**
 * The operations of this process that wait for somebody else: for input, for a caller, or
 * for a file to change. They are under way for ever, and mean nothing.
 *
 * @module
 */

let waiting = 0;

/** How many operations wait for somebody else now. */
export function waitingOperations(): number {
  return waiting;
}

/** Counts an operation that waits for somebody else, until it is over. */
export function countWaitingOperation(operation: Promise<unknown>): void {
  count(operation);
}

await countWaiting();

/** From the start of the process on, so that none is left out. */
async function countWaiting(): Promise<void> {
  using watcher = Deno.watchFs(import.meta.dirname ?? ".");
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using connection = await Deno.connect({ port: listener.addr.port });
  countCalls(ownerOf(watcher, "next"), "next");
  countCalls(ownerOf(listener, "accept"), "accept");
  countCalls(ownerOf(connection, "read"), "read");
  countCalls(ownerOf(connection, "write"), "write");
  countCalls(Deno, "connect");
  const { serve } = Deno;
  Reflect.set(Deno, "serve", (...args: unknown[]): Deno.HttpServer => {
    const server: Deno.HttpServer = Reflect.apply(serve, Deno, args);
    count(server.finished);
    return server;
  });
}

/** The prototype that has a method of its own. */
function ownerOf(value: object, method: string): object {
  for (
    let owner: object | null = value;
    owner !== null;
    owner = Reflect.getPrototypeOf(owner)
  ) {
    if (Object.hasOwn(owner, method)) return owner;
  }
  throw new TypeError(`Cannot count calls: wanted a method "${method}"`);
}

function countCalls(owner: object, name: string): void {
  const method: (...args: unknown[]) => Promise<unknown> = Reflect.get(
    owner,
    name,
  );
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    const result = Reflect.apply(method, this, args);
    count(result);
    return result;
  });
}

function count(promise: Promise<unknown>): void {
  waiting++;
  const settled = (): void => {
    waiting--;
  };
  promise.then(settled, settled);
}
