/**
 * What is wrong with kubeconfigs, and what is said of it.
 *
 * @module
 */

import { CERT_PEM, type KubeconfigDraft } from "./kubeconfigs.ts";

const AT_CLUSTER =
  /^\/etc\/kubernetes\/kubelet.conf:\d+: context "main": clusters\[0\]\.cluster/;
const AT_USER =
  /^\/etc\/kubernetes\/kubelet.conf:\d+: context "main": users\[0\]\.user/;

/** A draft with `S3CR3T` in what must not be shown; where the fault is, and what it says. */
export const KUBECONFIG_FAULTS:
  readonly (readonly [string, KubeconfigDraft, RegExp, RegExp])[] = [
    [
      "no server",
      { cluster: { server: "" } },
      AT_CLUSTER,
      /\.server: Required value$/,
    ],
    [
      "a server that is no text",
      { cluster: { server: 7 } },
      AT_CLUSTER,
      /\.server: Invalid value: .*must be a string/,
    ],
    [
      "a server that is no URL",
      { cluster: { server: "api.example" } },
      AT_CLUSTER,
      /\.server: Invalid value: .*must be a URL/,
    ],
    [
      "plain HTTP to another machine",
      { cluster: { server: "http://api.example" } },
      AT_CLUSTER,
      /\.server: Forbidden: secrets go there/,
    ],
    [
      "another scheme",
      { cluster: { server: "ftp://localhost" } },
      AT_CLUSTER,
      /\.server: Forbidden: secrets/,
    ],
    [
      "a server with a user",
      { cluster: { server: "https://me:S3CR3T@h" } },
      AT_CLUSTER,
      /\.server: Forbidden: wanted a URL without/,
    ],
    [
      "a server with a query",
      { cluster: { server: "https://h?a=1" } },
      AT_CLUSTER,
      /\.server: Forbidden: wanted a URL without/,
    ],
    [
      "a server with a fragment",
      { cluster: { server: "https://h#a" } },
      AT_CLUSTER,
      /\.server: Forbidden: wanted a URL without/,
    ],
    [
      "a server that is not checked",
      { cluster: { "insecure-skip-tls-verify": true } },
      AT_CLUSTER,
      /skip-tls-verify: Forbidden: the agent checks every server/,
    ],
    [
      "another name of the server",
      { cluster: { "tls-server-name": "kubernetes" } },
      AT_CLUSTER,
      /\.tls-server-name: Forbidden/,
    ],
    [
      "a proxy of another scheme",
      { cluster: { "proxy-url": "ftp://S3CR3T@h" } },
      AT_CLUSTER,
      /\.proxy-url: Invalid value: .*scheme http, https or socks5/,
    ],
    [
      "a proxy that is no URL",
      { cluster: { "proxy-url": "S3CR3T" } },
      AT_CLUSTER,
      /\.proxy-url: Invalid/,
    ],
    [
      "authorities twice",
      {
        cluster: {
          "certificate-authority": "a",
          "certificate-authority-data": btoa(CERT_PEM),
        },
      },
      AT_CLUSTER,
      /authority-data: Forbidden: certificate-authority is given as well/,
    ],
    [
      "authorities that are no base64",
      { cluster: { "certificate-authority-data": "S3CR3T!" } },
      AT_CLUSTER,
      /authority-data: Invalid value: .*as base64/,
    ],
    [
      "authorities that are no certificate",
      { cluster: { "certificate-authority-data": btoa("x") } },
      AT_CLUSTER,
      /authority-data: Invalid value: .*must be a certificate in PEM, as base64/,
    ],
    [
      "a program",
      { user: { exec: { command: "S3CR3T" } } },
      AT_USER,
      /\.exec: Forbidden: the agent runs no programs/,
    ],
    [
      "a provider",
      { user: { "auth-provider": { name: "S3CR3T" } } },
      AT_USER,
      /\.auth-provider: Forbidden: the agent runs no programs/,
    ],
    [
      "a user name",
      { user: { username: "S3CR3T" } },
      AT_USER,
      /\.username: Forbidden: API servers take no passwords/,
    ],
    [
      "a password",
      { user: { password: "S3CR3T" } },
      AT_USER,
      /\.password: Forbidden: API servers/,
    ],
    [
      "another's name",
      { user: { as: "root", token: "abc" } },
      AT_USER,
      /\.as: Forbidden: the agent acts as nobody/,
    ],
    [
      "another's uid",
      { user: { "as-uid": "root", token: "abc" } },
      AT_USER,
      /\.as-uid: Forbidden/,
    ],
    [
      "another's groups",
      { user: { "as-groups": ["a"], token: "abc" } },
      AT_USER,
      /\.as-groups: Forbidden/,
    ],
    [
      "more of another",
      { user: { "as-user-extra": { a: [] }, token: "abc" } },
      AT_USER,
      /\.as-user-extra: Forbidden/,
    ],
    [
      "no credentials",
      { user: {} },
      AT_USER,
      /\.user: Required value: a client certificate, a token or a tokenFile/,
    ],
    [
      "a certificate without its key",
      { user: { "client-certificate": "a" } },
      AT_USER,
      /\.client-key: Required value: it belongs to the client-certificate/,
    ],
    [
      "a key without its certificate",
      { user: { "client-key": "a" } },
      AT_USER,
      /\.client-certificate: Required value: it belongs to the client-key/,
    ],
    [
      "a key that is none",
      {
        user: { "client-certificate": "a", "client-key-data": btoa("S3CR3T") },
      },
      AT_USER,
      /\.client-key-data: Invalid value: .*must be a private key/,
    ],
    [
      "a locked key",
      {
        user: {
          "client-certificate": "a",
          "client-key-data": btoa("-----BEGIN ENCRYPTED PRIVATE KEY-----"),
        },
      },
      AT_USER,
      /\.client-key-data: Invalid value/,
    ],
    [
      "a certificate that is none",
      {
        user: { "client-certificate-data": btoa("S3CR3T"), "client-key": "a" },
      },
      AT_USER,
      /\.client-certificate-data: Invalid/,
    ],
    [
      "a token of two lines",
      { user: { token: "S3CR3T\nx" } },
      AT_USER,
      /\.token: Invalid value: .*without spaces/,
    ],
    [
      "a token beyond ASCII",
      { user: { token: "S3CR3T\u00e9" } },
      AT_USER,
      /\.token: Invalid value/,
    ],
    [
      "a token with a deletion",
      { user: { token: "S3CR3T\u007f" } },
      AT_USER,
      /\.token: Invalid value/,
    ],
    [
      "a token that is a number",
      { user: { token: 12345 } },
      AT_USER,
      /\.token: Invalid value: .*must be a string/,
    ],
  ];
