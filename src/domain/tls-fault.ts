/** Why a TLS connection failed. `UNTRUSTED`: no trusted authority issued the certificate. `NO_TLS`: the server speaks plain HTTP. */
export type TlsFault = 'EXPIRED' | 'UNTRUSTED' | 'OTHER_NAME' | 'CLIENT_CERTIFICATE' | 'NO_TLS';

/** Matches the texts of Node and OpenSSL. */
const TEXTS: readonly (readonly [TlsFault, RegExp])[] = [
  ['EXPIRED', /certificate has expired|certificate is not yet valid/],
  ['UNTRUSTED', /self-signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/],
  ['OTHER_NAME', /does not match certificate's altnames|CERT_ALTNAME_INVALID/],
  ['CLIENT_CERTIFICATE', /certificate required|requires a valid client certificate/],
  ['NO_TLS', /wrong version number|packet length too long/],
];

/** The fault that an error text names; undefined if TLS did not fail. */
export function findTlsFault(text: string): TlsFault | undefined {
  return TEXTS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Remedies for a node, or for a system behind it. */
const REMEDIES: Readonly<Record<TlsFault, string>> = {
  EXPIRED: 'Renew the certificate of the server at this address, or compare the clocks of both computers.',
  UNTRUSTED:
    "Name the file of the certificate's authority as `caFile` of the node in Hindsight's settings, or in NODE_EXTRA_CA_CERTS.",
  OTHER_NAME:
    "Use a host name of the certificate in the address in Hindsight's settings, or renew the certificate with this name in it.",
  CLIENT_CERTIFICATE:
    "The server asks for a client certificate: name `certFile` and `keyFile` of the node in Hindsight's settings.",
  NO_TLS: 'The server speaks plain HTTP: write http:// instead of https:// in the address.',
};

/** The remedy for a node that cannot be reached for this reason; undefined if TLS did not fail. */
export function tlsRemedy(reason: string): string | undefined {
  const fault = findTlsFault(reason);
  return fault && REMEDIES[fault];
}
