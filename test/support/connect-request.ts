/** A refusal in the form of the Connect protocol: a status and a JSON object with a code and a message. */
export interface ConnectError {
  status: number;
  code: 'invalid_argument' | 'not_found' | 'internal' | 'unimplemented';
  message: string;
}

/** The block that a GetBlock request names, or the reason for a refusal. Height 0 means the newest block. */
export type BlockRequest =
  | { kind: 'height'; height: bigint }
  | { kind: 'hash'; hash: Uint8Array; text: string }
  | { kind: 'refused'; error: ConnectError };

const MAX_UINT64 = 2n ** 64n - 1n;

function invalid(message: string): ConnectError {
  return { status: 400, code: 'invalid_argument', message };
}

/** Parses the body of a unary Connect call; a body that is not a JSON object yields a refusal. */
function parseConnectBody(
  text: string,
  messageName: string,
): { fields: Record<string, unknown> } | { error: ConnectError } {
  const prefix = `unmarshal message: unmarshal into *v1.${messageName}: proto: `;
  if (text.trim() === '') {
    return { error: invalid('unmarshal message: zero-length payload is not a valid JSON object') };
  }
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
      return { fields: fields as Record<string, unknown> };
    }
    return { error: invalid(`${prefix}syntax error (line 1:1): unexpected token ${text.slice(0, 20)}`) };
  } catch {
    return { error: invalid(`${prefix}unexpected EOF`) };
  }
}

/**
 * Parses the body of a GetBlock call as the real node does. `height` is a string or a 64-bit number, `hash` is base64, never
 * both; unknown fields are ignored.
 */
export function parseBlockRequest(text: string): BlockRequest {
  const body = parseConnectBody(text, 'GetBlockRequest');
  if ('error' in body) return { kind: 'refused', error: body.error };
  const { height, hash } = body.fields;
  if (height !== undefined && hash !== undefined) {
    const second = text.indexOf('"height"') < text.indexOf('"hash"') ? 'hash' : 'height';
    return refused(
      `(line 1:${text.indexOf(`"${second}"`) + 1}): error parsing "${second}", ` +
        'oneof evnode.v1.GetBlockRequest.identifier is already set',
    );
  }
  if (hash !== undefined) {
    return typeof hash === 'string'
      ? { kind: 'hash', hash: Buffer.from(hash, 'base64'), text: hash }
      : refused(badValue(text, 'bytes', 'hash', hash));
  }
  if (height !== undefined) {
    const number = toUint64(height);
    return number === undefined
      ? refused(badValue(text, 'uint64', 'height', height))
      : { kind: 'height', height: number };
  }
  return { kind: 'refused', error: invalid('invalid or unsupported identifier type provided') };
}

function refused(reason: string): BlockRequest {
  const prefix = 'unmarshal message: unmarshal into *v1.GetBlockRequest: proto: ';
  return { kind: 'refused', error: invalid(prefix + reason) };
}

function badValue(text: string, type: string, field: string, value: unknown): string {
  const column = /:\s*/.exec(text.slice(text.indexOf(`"${field}"`)));
  const at = text.indexOf(`"${field}"`) + (column?.index ?? 0) + (column?.[0].length ?? 0) + 1;
  return `(line 1:${at}): invalid value for ${type} field ${field}: ${JSON.stringify(value)}`;
}

function toUint64(value: unknown): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined;
  const number = BigInt(text);
  return number <= MAX_UINT64 ? number : undefined;
}
