/**
 * Commands of which only their success counts.
 *
 * @module
 */

/** Runs a command and says whether it succeeded. */
export async function succeeds(...args: readonly string[]): Promise<boolean> {
  const [command = "", ...rest] = args;
  try {
    const { success } = await new Deno.Command(command, {
      args: [...rest],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    // Without the program, or the right to run it, it did not succeed.
    return false;
  }
}
