/**
 * An authority and the certificates that it issues, for tests over TLS.
 *
 * @module
 */

/** A key and its certificate, both as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** What stands in an issued certificate. */
export interface CertificateDraft {
  readonly name: string;
  /** What Kubernetes takes for groups. @default none */
  readonly organizations?: readonly string[];
  /** DNS names and IPv4 addresses. @default none */
  readonly hosts?: readonly string[];
  /** Year in which it ends. @default {2049} */
  readonly endYear?: number;
}

/** Signs certificates; its own is what others are to believe. */
export class Authority {
  readonly cert: string;
  /** As PEM, for another that signs in its name. */
  readonly key: string;
  readonly #name: Uint8Array;
  readonly #signer: CryptoKey;

  private constructor(
    own: Certificate,
    name: Uint8Array,
    signer: CryptoKey,
  ) {
    this.cert = own.cert;
    this.key = own.key;
    this.#name = name;
    this.#signer = signer;
  }

  /** Makes a key and signs its certificate with it. */
  static async create(name: string = "test authority"): Promise<Authority> {
    const pair = await keyPair();
    const issuer = distinguishedName(name);
    const cert = await certificate(pair.publicKey, {
      signer: pair.privateKey,
      issuer,
      subject: issuer,
      endYear: 2049,
      extensions: [
        extension(
          [0x55, 0x1d, 0x13],
          sequence(tagged(0x01, bytes(0xff))),
          true,
        ),
      ],
    });
    const key = await privateKeyPem(pair.privateKey);
    return new Authority({ cert, key }, issuer, pair.privateKey);
  }

  /** Makes a key and a certificate for it. */
  async issue(draft: CertificateDraft): Promise<Certificate> {
    const pair = await keyPair();
    const cert = await this.certify(pair.publicKey, draft);
    return { key: await privateKeyPem(pair.privateKey), cert };
  }

  /** Makes a certificate in PEM for a key that somebody else has. */
  async certify(key: CryptoKey, draft: CertificateDraft): Promise<string> {
    const { name, organizations, hosts = [], endYear = 2049 } = draft;
    return await certificate(key, {
      signer: this.#signer,
      issuer: this.#name,
      subject: distinguishedName(name, organizations),
      endYear,
      extensions: hosts.length === 0
        ? []
        : [extension([0x55, 0x1d, 0x11], sequence(...hosts.map(hostName)))],
    });
  }
}

/** A private key as PEM. */
export async function privateKeyPem(key: CryptoKey): Promise<string> {
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", key);
  return pem("PRIVATE KEY", new Uint8Array(pkcs8));
}

/** A public key as PEM. */
export async function publicKeyPem(key: CryptoKey): Promise<string> {
  const spki = await crypto.subtle.exportKey("spki", key);
  return pem("PUBLIC KEY", new Uint8Array(spki));
}

async function keyPair(): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]);
  if (!("privateKey" in pair)) throw new Error("Wanted a pair of keys");
  return pair;
}

async function certificate(
  key: CryptoKey,
  options: {
    readonly signer: CryptoKey;
    readonly issuer: Uint8Array;
    readonly subject: Uint8Array;
    readonly endYear: number;
    readonly extensions: readonly Uint8Array[];
  },
): Promise<string> {
  const { signer, issuer, subject, endYear, extensions } = options;
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", key));
  const time = (year: number): Uint8Array =>
    tagged(0x17, UTF8.encode(`${String(year).slice(2)}0101000000Z`));
  const serial = crypto.getRandomValues(new Uint8Array(8));
  const content = sequence(
    tagged(0xa0, tagged(0x02, bytes(2))),
    tagged(0x02, new Uint8Array([1, ...serial])),
    ED25519,
    issuer,
    sequence(time(2020), time(endYear)),
    subject,
    spki,
    ...(extensions.length === 0 ? [] : [tagged(0xa3, sequence(...extensions))]),
  );
  const signature = await crypto.subtle.sign("Ed25519", signer, content);
  const bits = new Uint8Array([0, ...new Uint8Array(signature)]);
  return pem(
    "CERTIFICATE",
    sequence(content, ED25519, tagged(0x03, bits)),
  );
}

function distinguishedName(
  name: string,
  organizations: readonly string[] = [],
): Uint8Array {
  const part = (kind: number, text: string): Uint8Array =>
    tagged(
      0x31,
      sequence(
        tagged(0x06, bytes(0x55, 0x04, kind)),
        tagged(0x0c, UTF8.encode(text)),
      ),
    );
  return sequence(
    ...organizations.map((each) => part(0x0a, each)),
    part(0x03, name),
  );
}

function extension(
  id: readonly number[],
  value: Uint8Array,
  isCritical: boolean = false,
): Uint8Array {
  return sequence(
    tagged(0x06, new Uint8Array(id)),
    ...(isCritical ? [tagged(0x01, bytes(0xff))] : []),
    tagged(0x04, value),
  );
}

function hostName(host: string): Uint8Array {
  return /^[\d.]+$/.test(host)
    ? tagged(0x87, new Uint8Array(host.split(".").map(Number)))
    : tagged(0x82, UTF8.encode(host));
}

const UTF8 = new TextEncoder();

/** 1.3.101.112 */
const ED25519 = sequence(tagged(0x06, bytes(0x2b, 0x65, 0x70)));

function bytes(...values: readonly number[]): Uint8Array {
  return new Uint8Array(values);
}

function tagged(tag: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = content;
  const size = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return new Uint8Array([tag, ...size, ...content]);
}

function sequence(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return tagged(0x30, new Uint8Array(parts.flatMap((part) => [...part])));
}

function pem(label: string, content: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...content)).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""]
    .join("\n");
}
