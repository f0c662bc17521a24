/**
 * Text in an encoding that no manifest may have.
 *
 * @module
 */

/** A text in UTF-16 with its mark, little end first. */
export function utf16(text: string): Uint8Array<ArrayBuffer> {
  const units = Uint16Array.from(text, (_, at) => text.charCodeAt(at));
  return new Uint8Array([0xff, 0xfe, ...new Uint8Array(units.buffer)]);
}
