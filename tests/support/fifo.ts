/**
 * FIFOs, which block whoever opens one, in the places of files.
 *
 * @module
 */

/** Makes a FIFO. */
export async function makeFifo(path: string): Promise<void> {
  const { success } = await new Deno.Command("mkfifo", { args: [path] })
    .output();
  if (!success) throw new Error(`Cannot make a FIFO at "${path}"`);
}

/**
 * Lets go whoever waits for the other end of a FIFO, so that the runner can end.
 *
 * With both ends open, opening it blocks nobody any more; it stays open for what a
 * thread has still to tell.
 */
export async function openFifo(path: string): Promise<void> {
  await Deno.open(path, { read: true, write: true });
}
