/**
 * Base64 as Kubernetes objects hold it.
 *
 * @module
 */

/**
 * The bytes of a text in standard base64; `undefined` when it is none.
 *
 * Takes exactly what Go's `base64.StdEncoding` takes: padding is wanted, line breaks
 * are skipped, any other space is not base64.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const packed = text.replaceAll("\n", "").replaceAll("\r", "");
  // The decoder below forgives spaces and missing padding; Go does not.
  if (packed.length % 4 !== 0 || /\s/.test(packed)) return undefined;
  try {
    return Uint8Array.fromBase64(packed);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
