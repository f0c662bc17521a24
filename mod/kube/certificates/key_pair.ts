/**
 * A certificate and its key, as the kubelet keeps them: in one file.
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { describeError, Hidden, parseIp } from "../../base/text/mod.ts";

/** A certificate and its key, which fit together. */
export interface KeyPair {
  /** In PEM; those of the authorities between may stand behind it. */
  readonly cert: string;
  readonly key: Hidden<string>;
  /** Wall time in milliseconds. */
  readonly beginsMs: number;
  readonly endsMs: number;
  /** The names that it is for, as {@linkcode dnsKey} and {@linkcode addressKey} write them. */
  readonly names: ReadonlySet<string>;
}

/**
 * Reads a certificate and its key; both may stand in one text.
 *
 * @throws {TypeError} When one is missing, cannot be read, or is another's; without a secret.
 */
export function readKeyPair(cert: string, key: string): KeyPair {
  let certificate: X509Certificate;
  let isFit: boolean;
  try {
    certificate = new X509Certificate(section(cert, "CERTIFICATE"));
    isFit = certificate.checkPrivateKey(createPrivateKey(keySection(key)));
  } catch (error) {
    throw new TypeError(
      `Cannot use a certificate and its key: ${describeError(error)}`,
    );
  }
  if (!isFit) {
    throw new TypeError(
      "Cannot use a certificate and its key: they do not fit together",
    );
  }
  return {
    cert: sections(cert, "CERTIFICATE").join("\n"),
    key: new Hidden(keySection(key)),
    beginsMs: Date.parse(certificate.validFrom),
    endsMs: Date.parse(certificate.validTo),
    names: namesOf(certificate.subjectAltName),
  };
}

/** The text of the one file. */
export function pairText({ cert, key }: KeyPair): string {
  return `${cert.trim()}\n${key.reveal().trim()}\n`;
}

/** A host as a certificate has it. */
export function dnsKey(name: string): string {
  return `DNS:${name}`;
}

/** An address as a certificate has it, however it is written. */
export function addressKey(text: string): string {
  const address = parseIp(text);
  return `IP:${address?.ipv6 ? "v6:" : ""}${address?.value ?? text}`;
}

const ADDRESS = "IP Address:";

function namesOf(text: string = ""): ReadonlySet<string> {
  return new Set(
    text.split(", ").map((name) =>
      name.startsWith(ADDRESS) ? addressKey(name.slice(ADDRESS.length)) : name
    ),
  );
}

function keySection(text: string): string {
  for (const label of ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]) {
    const [found] = sections(text, label);
    if (found !== undefined) return found;
  }
  throw new TypeError("There is no key");
}

function section(text: string, label: string): string {
  const [found] = sections(text, label);
  if (found !== undefined) return found;
  throw new TypeError("There is no certificate");
}

function sections(text: string, label: string): readonly string[] {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  const found: string[] = [];
  for (let from = 0;;) {
    const at = text.indexOf(begin, from);
    const to = text.indexOf(end, at);
    if (at < 0 || to < 0) return found;
    from = to + end.length;
    found.push(text.slice(at, from));
  }
}
