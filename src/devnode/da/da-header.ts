import { createHash } from 'node:crypto';
import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import type { DaBlock } from './da-chain.js';

/** SHA-256 of nothing: the hashes of empty lists in a header. */
const EMPTY_HASH = 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855';

/** The header of a block with commit, validators and roots, as `header.*` of celestia-node prints it. One validator has all power. */
export function describeHeader(block: DaBlock, chainId: string): object {
  const { height, hash, lastHash } = block;
  const validator = {
    address: derive(chainId, 'validator').slice(0, 40),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: toBase64(derive(chainId, 'key')) },
    voting_power: '5000',
    proposer_priority: '0',
  };
  const validators = derive(chainId, 'validators');
  const blockId = (id: string) => ({
    hash: id,
    parts: id === '' ? { total: 0, hash: '' } : { total: 1, hash: derive(id, 'parts') },
  });
  const roots = (name: string) => [0, 1].map((row) => toBase64(derive(hash, `${name} ${row}`, 90)));
  return {
    header: {
      version: { block: '11', app: '9' },
      chain_id: chainId,
      height: String(height),
      time: formatNanoseconds(block.timeNs),
      last_commit_hash: lastHash === '' ? EMPTY_HASH : derive(lastHash, 'commit'),
      data_hash: derive(hash, 'data'),
      validators_hash: validators,
      next_validators_hash: validators,
      consensus_hash: derive(chainId, 'consensus'),
      app_hash: lastHash === '' ? EMPTY_HASH : derive(lastHash, 'state'),
      last_results_hash: EMPTY_HASH,
      evidence_hash: EMPTY_HASH,
      proposer_address: validator.address,
      last_block_id: blockId(lastHash),
    },
    commit: {
      height: String(height),
      round: 0,
      block_id: blockId(hash),
      signatures: [
        {
          block_id_flag: 2,
          validator_address: validator.address,
          timestamp: formatNanoseconds(block.timeNs),
          signature: toBase64(derive(hash, 'signature', 64)),
        },
      ],
    },
    validator_set: { validators: [validator], proposer: validator },
    dah: { row_roots: roots('row'), column_roots: roots('column') },
  };
}

function derive(from: string, what: string, bytes = 32): string {
  const hash = createHash('shake256', { outputLength: bytes }).update(`${from} ${what}`);
  return hash.digest('hex').toUpperCase();
}

function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
