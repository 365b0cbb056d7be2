import { Decimal } from '../../domain/cost/decimal.js';
import { refuseAddress } from './bech32.js';
import { DaProtocolError } from './da-json-rpc.js';
import { commitmentOf, type DaBlob } from './da-transaction.js';

/** Decodes the parameter of a method, or throws an error with the text that Go's decoder gives. */
interface DaParameter {
  /** Go's name of the type, as errors have it. */
  readonly type: string;
  readonly decode: (value: unknown) => unknown;
}

const NAMESPACE_BYTES = 29;
const MAX_UINT64 = 2 ** 64;

export const HEIGHT: DaParameter = { type: '*uint64', decode: decodeHeight };
export const NAMESPACE: DaParameter = { type: '*share.Namespace', decode: decodeNamespace };
export const NAMESPACES: DaParameter = {
  type: '*[]share.Namespace',
  decode: (value) => decodeList(value, '[]share.Namespace').map(decodeNamespace),
};
export const COMMITMENT: DaParameter = {
  type: '*blob.Commitment',
  decode: (value) => decodeBytes(value, 'blob.Commitment').toString('hex'),
};
export const ADDRESS: DaParameter = { type: '*state.Address', decode: decodeAddress };
export const BLOBS: DaParameter = {
  type: '*[]*blob.Blob',
  decode: (value) => decodeList(value, '[]*blob.Blob').map(decodeBlob),
};
export const TX_CONFIG: DaParameter = { type: '*state.TxConfig', decode: decodeTxConfig };

/** Options of a submission, as far as the rig knows them. */
export interface TxConfig {
  /** In utia per gas; undefined: the network's. */
  readonly gasPrice: Decimal | undefined;
  readonly signerAddress: string | undefined;
  readonly feeGranter: string | undefined;
}

/**
 * Decodes the parameters of a call.
 * @throws DaProtocolError with the recorded text
 */
export function decodeParameters(method: string, kinds: readonly DaParameter[], params: unknown): unknown[] {
  const given = params ?? [];
  if (!Array.isArray(given)) {
    const reason = `json: cannot unmarshal ${goKind(given)} into Go value of type []jsonrpc.param`;
    throw new DaProtocolError(-32700, `unmarshaling param array: ${reason}`);
  }
  if (given.length !== kinds.length) {
    const counts = `${given.length} != ${kinds.length}`;
    throw new DaProtocolError(-32602, `wrong param count (method '${method}'): ${counts}`);
  }
  return kinds.map(({ type, decode }, index) => {
    try {
      return decode(given[index]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DaProtocolError(-32700, `unmarshaling params for '${method}' (param: ${type}): ${reason}`);
    }
  });
}

function decodeHeight(value: unknown): bigint {
  if (typeof value !== 'number') throw mismatch(value, 'uint64');
  if (!Number.isInteger(value) || value < 0 || value >= MAX_UINT64) {
    throw new Error(`json: cannot unmarshal number ${value} into Go value of type uint64`);
  }
  return BigInt(value);
}

function decodeNamespace(value: unknown): string {
  const bytes = decodeBytes(value, '[]uint8');
  if (bytes.length !== NAMESPACE_BYTES)
    throw new Error(`invalid namespace length: ${bytes.length}. Must be ${NAMESPACE_BYTES} bytes`);
  return bytes.toString('hex');
}

function decodeAddress(value: unknown): string {
  if (typeof value !== 'string') throw mismatch(value, 'string');
  const reason = refuseAddress(value);
  if (reason !== undefined)
    throw new Error(`address must be a valid account or validator address: ${reason}`);
  return value;
}

function decodeBlob(value: unknown): DaBlob {
  const { namespace: name, data: content } = decodeObject(value, 'blob.jsonBlob');
  const namespace = decodeNamespace(name);
  const data = decodeBytes(content, '[]uint8');
  return { namespace, data, commitment: commitmentOf(namespace, data) };
}

function decodeTxConfig(value: unknown): TxConfig {
  const given = decodeObject(value ?? {}, 'state.jsonTxConfig');
  const price = given['is_gas_price_set'] === true ? given['gas_price'] : undefined;
  const account = (name: string): string | undefined =>
    typeof given[name] === 'string' && given[name] !== '' ? decodeAddress(given[name]) : undefined;
  return {
    gasPrice: typeof price === 'number' && price >= 0 ? Decimal.parse(price.toFixed(9)) : undefined,
    signerAddress: account('signer_address'),
    feeGranter: account('fee_granter_address'),
  };
}

function decodeObject(value: unknown, type: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mismatch(value, type);
  return value as Record<string, unknown>;
}

function decodeList(value: unknown, type: string): unknown[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, type);
  return value;
}

function decodeBytes(value: unknown, type: string): Buffer {
  if (typeof value !== 'string') throw mismatch(value, type);
  return Buffer.from(value, 'base64');
}

function mismatch(value: unknown, type: string): Error {
  return new Error(`json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`);
}

/** Go's name for the kind of a JSON value. */
function goKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
