/**
 * What credentials look like.
 *
 * @module
 */

/** Whether a text has a certificate in PEM. */
export function isCertificatePem(text: string): boolean {
  return text.includes("-----BEGIN CERTIFICATE-----");
}

/** Whether a text has a private key in PEM, of any kind but a locked one. */
export function isKeyPem(text: string): boolean {
  return text.includes("PRIVATE KEY-----") && !text.includes("ENCRYPTED");
}

/**
 * Whether a text can stand in a header as a token. The platform's own words about a header
 * that it refuses would show the token.
 */
export function isToken(text: string): boolean {
  if (text === "") return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return true;
}
