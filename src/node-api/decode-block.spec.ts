import { parseExactJson } from '../domain/exact-json.js';
import { decodeBlock } from './decode-block.js';

const HASH = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const SIGNATURE = HASH + HASH;
const TIME_NS = 1_795_239_870_916_246_782n;

function asBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

function asBase64Url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** A block in the specification's shape, with byte strings written by `write`. */
function specBlock(write: (hex: string) => string, time: unknown = TIME_NS): string {
  const block = {
    block: {
      header: {
        header: {
          version: { block: 11, app: 1 },
          height: 7,
          time,
          last_header_hash: write(HASH),
          data_hash: write(HASH),
          app_hash: '',
          proposer_address: write(HASH),
          validator_hash: '',
          chain_id: 'spec-1',
        },
        signature: write(SIGNATURE),
        signer: { address: write(HASH), pub_key: write(`08011220${HASH}`) },
      },
      data: {
        metadata: { chain_id: 'spec-1', height: 7, time, last_data_hash: '' },
        txs: [write('6b303d76')],
      },
    },
    header_da_height: 12,
    data_da_height: 0,
  };
  return JSON.stringify(block, (_, value: unknown) =>
    typeof value === 'bigint' ? `<${value}>` : value,
  ).replace(/"<(\d+)>"/g, '$1');
}

function decode(text: string): ReturnType<typeof decodeBlock> {
  return decodeBlock(parseExactJson(text));
}

function headerWith(members: Record<string, unknown>): unknown {
  return { block: { header: { header: { height: '1', ...members } }, data: {} } };
}

describe('decodeBlock', () => {
  it.each([
    ['hex', (hex: string) => hex],
    ['hex in upper case behind 0x', (hex: string) => `0x${hex.toUpperCase()}`],
    ['base64', asBase64],
    ['base64 of the URL alphabet without padding', asBase64Url],
  ])('reads the shape of the specification with bytes in %s', (_, write) => {
    const decoding = decode(specBlock(write));

    expect(decoding).toEqual({
      ok: true,
      shape: 'SPEC',
      block: {
        header: {
          versionBlock: 11n,
          versionApp: 1n,
          height: 7n,
          timeNs: TIME_NS,
          lastHeaderHash: HASH,
          dataHash: HASH,
          appHash: '',
          proposerAddress: HASH,
          validatorHash: '',
          chainId: 'spec-1',
          unknownFields: false,
        },
        signature: SIGNATURE,
        signerAddress: HASH,
        signerPubKey: `08011220${HASH}`,
        metadata: { chainId: 'spec-1', height: 7n, timeNs: TIME_NS, lastDataHash: '' },
        transactions: [Buffer.from('k0=v')],
        headerDaHeight: 12n,
        dataDaHeight: null,
      },
    });
  });

  it.each([
    [1_795_239_870, 1_795_239_870_000_000_000n],
    [1_795_239_870_916, 1_795_239_870_916_000_000n],
    [1_795_239_870_916_246n, 1_795_239_870_916_246_000n],
    ['1795239870916246782', TIME_NS],
    ['2026-11-21T05:44:30.916246782Z', TIME_NS],
    ['2026-11-21T07:44:30.916246782+02:00', TIME_NS],
    ['0001-01-01T00:00:00Z', 0n],
    [null, 0n],
  ])('reads the time %s by its magnitude or as text', (time, expected) => {
    const decoding = decode(specBlock(asBase64, time));
    expect(decoding.ok && decoding.block.header.timeNs).toBe(expected);
  });

  it('loses no digit of numbers beyond 2^53, sent as numbers or as text', () => {
    for (const height of ['18446744073709551615', '"18446744073709551615"']) {
      const decoding = decode(
        `{"block":{"header":{"header":{"height":${height}}}},"headerDaHeight":9007199254740993}`,
      );
      expect(decoding.ok && decoding.block.header.height).toBe(18446744073709551615n);
      expect(decoding.ok && decoding.block.headerDaHeight).toBe(9007199254740993n);
    }
  });

  it('rejects an invalid DA height, and keeps what was sent', () => {
    const decoding = decode(
      '{"block":{"header":{"header":{"height":7}}},"headerDaHeight":"9223372036854775807","dataDaHeight":9}',
    );
    expect(decoding.ok && decoding.block).toMatchObject({
      headerDaHeight: null,
      dataDaHeight: 9n,
      shownDaHeights: [2n ** 63n - 1n, 9n],
    });
    const plain = decode(
      '{"block":{"header":{"header":{"height":7}}},"headerDaHeight":"4611686018427387904"}',
    );
    expect(plain.ok && plain.block.headerDaHeight).toBe(2n ** 62n);
    expect(plain.ok && plain.block).not.toHaveProperty('shownDaHeights');
  });

  it('reads left-out values as zero, empty and not yet included', () => {
    expect(decodeBlock(headerWith({}))).toMatchObject({
      ok: true,
      shape: 'EV_NODE',
      block: { header: { timeNs: 0n, dataHash: '' }, metadata: null, transactions: [], headerDaHeight: null },
    });
  });

  it('notes unknown members of the header, unless they are empty', () => {
    const unknown = (members: Record<string, unknown>): unknown => {
      const decoding = decodeBlock(headerWith(members));
      return decoding.ok && decoding.block.header.unknownFields;
    };
    expect(unknown({ consensusHash: asBase64(HASH) })).toBe(true);
    expect(unknown({ consensusHash: '', extra: 0 })).toBe(false);
  });

  it('does not read a transaction as hex in a block that writes base64', () => {
    const transaction = 'deadbeef'.repeat(8);
    const decoding = decodeBlock({
      block: {
        header: { header: { height: 1, dataHash: asBase64(HASH) } },
        data: { txs: [transaction] },
      },
    });
    expect(decoding.ok && Buffer.from(decoding.block.transactions[0] ?? []).toString('base64')).toBe(
      transaction,
    );
  });

  it.each([
    ['height', headerWith({ height: -1 })],
    ['height', headerWith({ height: 1.5 })],
    ['height', headerWith({ height: '18446744073709551616' })],
    ['height', { block: { header: { header: {} } } }],
    ['time', headerWith({ time: 'yesterday' })],
    ['time', headerWith({ time: '1969-12-31T23:59:59Z' })],
    ['dataHash', headerWith({ dataHash: '%%%' })],
    ['dataHash', headerWith({ dataHash: 5 })],
    ['chainId', headerWith({ chainId: 5 })],
    ['chainId', headerWith({ chainId: 'a\u0000' })],
    ['chainId', headerWith({ chainId: 'a\u0085' })],
    ['chainId', headerWith({ chainId: 'a\u009b31m' })],
    ['chainId', headerWith({ chainId: '\u202ea' })],
    ['chainId', headerWith({ chainId: 'a\u200bb' })],
    ['chainId', headerWith({ chainId: 'a\u{e0041}' })],
    ['version', headerWith({ version: 'one' })],
    ['txs', { block: { header: { header: { height: 1 } }, data: { txs: 'none' } } }],
    [
      'txs',
      {
        block: {
          header: { header: { height: 1 } },
          data: { txs: Array.from({ length: 200_001 }, () => '') },
        },
      },
    ],
    ['txs[1]', { block: { header: { header: { height: 1 } }, data: { txs: ['', {}] } } }],
    ['headerDaHeight', { ...(headerWith({}) as object), headerDaHeight: '-5' }],
    ['block', { block: [] }],
    ['height', {}],
    ['answer', null],
    ['answer', 'a text'],
  ])('names the unreadable field %s', (field, answer) => {
    expect(decodeBlock(answer)).toMatchObject({ ok: false, field });
  });
});
