/** Why a TLS connection failed. `UNTRUSTED`: no trusted authority issued the certificate. `NO_TLS`: the server speaks plain HTTP. */
export type TlsFault = 'EXPIRED' | 'UNTRUSTED' | 'OTHER_NAME' | 'CLIENT_CERTIFICATE' | 'NO_TLS';

/** Matches the texts of Node and OpenSSL. */
const TEXTS: readonly (readonly [TlsFault, RegExp])[] = [
  ['EXPIRED', /certificate has expired|certificate is not yet valid/],
  ['UNTRUSTED', /self-signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/],
  ['OTHER_NAME', /does not match certificate's altnames|CERT_ALTNAME_INVALID/],
  ['CLIENT_CERTIFICATE', /alert certificate required|alert bad certificate|alert handshake failure/],
  ['NO_TLS', /wrong version number|packet length too long/],
];

/** The fault that an error text names; undefined if TLS did not fail. */
export function findTlsFault(text: string): TlsFault | undefined {
  return TEXTS.find(([, pattern]) => pattern.test(text))?.[0];
}
