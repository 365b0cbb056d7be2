import { loadRecordedBlocks } from '../../../test/support/recorded-blocks.js';
import { loadTruth } from '../../../test/support/recording.js';
import {
  dataBlobBytes,
  encodeDataBlob,
  encodedHeaderBytes,
  encodeHeader,
  encodeHeaderBlob,
  headerBlobBytes,
} from './block-encoding.js';
import type { DecodedBlock } from './block.js';

const blocks = loadRecordedBlocks('aggregator');
const HEADER_NAMESPACE = '000000000000000000000000000000000000001628c730f46c460a762a';

interface TrueSubmission {
  status_code: string;
  namespace: string;
  height: number;
  blob_size: number;
  num_blobs: number;
}

const headerSize = (block: DecodedBlock): number =>
  headerBlobBytes(encodeHeader(block.header).length, block.signature, block);

describe('blob sizes', () => {
  it('are the bytes of the encoded blobs', () => {
    const signature = new Uint8Array(64);
    for (const block of blocks) {
      const header = encodeHeaderBlob(encodeHeader(block.header), block.signature, block, signature);
      expect(headerSize(block)).toBe(header.length);
      if (block.transactions.length > 0) {
        expect(dataBlobBytes(block, block)).toBe(encodeDataBlob(block, signature, block).length);
      }
    }
  });

  it('add up to the recorded size and number of blobs of every success before inclusion froze', () => {
    const groups = new Map<string, { size: number; count: number }>();
    const add = (kind: string, daHeight: bigint | null, size: number): void => {
      const key = `${kind} ${daHeight}`;
      const group = groups.get(key) ?? { size: 0, count: 0 };
      groups.set(key, { size: group.size + size, count: group.count + 1 });
    };
    for (const block of blocks) {
      add('header', block.headerDaHeight, headerSize(block));
      if (block.transactions.length > 0) add('data', block.dataDaHeight, dataBlobBytes(block, block) ?? NaN);
    }
    const highest = Math.max(
      ...blocks.flatMap(({ headerDaHeight, dataDaHeight }) => [Number(headerDaHeight), Number(dataDaHeight)]),
    );
    const truth = new Map<string, { size: number; count: number }>();
    let rows = 0;
    for (const { row } of loadTruth()) {
      const { status_code, namespace, height, blob_size, num_blobs } = row as unknown as TrueSubmission;
      if (status_code !== 'Success' || height > highest) continue;
      const key = `${namespace === HEADER_NAMESPACE ? 'header' : 'data'} ${height}`;
      const group = truth.get(key) ?? { size: 0, count: 0 };
      truth.set(key, { size: group.size + blob_size, count: group.count + num_blobs });
      rows++;
    }
    groups.delete('header null');
    groups.delete('data null');
    expect(rows).toBe(254);
    expect(Object.fromEntries(groups)).toEqual(Object.fromEntries(truth));
  });

  it('of headers need no encoding', () => {
    const { header } = blocks[5] as DecodedBlock;
    for (const value of [
      0n,
      1n,
      127n,
      128n,
      2n ** 32n - 1n,
      2n ** 32n,
      2n ** 53n,
      2n ** 63n,
      2n ** 64n - 1n,
    ]) {
      const odd = {
        ...header,
        height: value,
        versionApp: value,
        timeNs: value,
        chainId: 'chaîne',
        appHash: '',
      };
      expect(encodedHeaderBytes(odd)).toBe(encodeHeader(odd).length);
    }
  });

  it('of data are 0 without transactions and unknown without metadata', () => {
    const block = blocks.find(({ transactions }) => transactions.length > 0) as DecodedBlock;
    expect(dataBlobBytes({ ...block, transactions: [] }, block)).toBe(0);
    expect(dataBlobBytes({ ...block, metadata: null }, block)).toBeNull();
  });

  it('count an empty transaction with its two bytes of framing', () => {
    const block = { ...(blocks[0] as DecodedBlock), transactions: [new Uint8Array(0), new Uint8Array(300)] };
    expect(dataBlobBytes(block, block)).toBe(encodeDataBlob(block, new Uint8Array(64), block).length);
  });
});
