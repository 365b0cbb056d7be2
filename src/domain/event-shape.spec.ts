import { randomLog } from '../../test/support/random-log.js';
import { recordLog } from '../../test/support/record-log.js';
import { seededRandom } from '../../test/support/seeded-random.js';
import { findMisshapen } from './event-shape.js';

const LOOKS = { first: 1, last: 1, count: 1, longestGapMs: 0 };

describe('the shape of an event', () => {
  it('matches every event of a recorded node and of synthetic chains', () => {
    const cut = { from: 60_000, to: 150_000 };
    const logs = [
      recordLog({ nodes: ['aggregator', 'follower'], every: 5_000, cut }),
      ...[1, 2, 3].map((seed) => randomLog(seededRandom(seed), 200)),
    ];
    for (const { type, body } of logs.flat()) {
      expect([type, findMisshapen(type, JSON.parse(JSON.stringify(body)))]).toEqual([type, undefined]);
    }
  });

  it('names the first member of another kind', () => {
    expect(findMisshapen('SubmissionsObserved', [])).toBe('body');
    expect(findMisshapen('NodeRegistered', { url: 7 })).toBe('url');
    expect(findMisshapen('BlocksPruned', { chain: 'c', lineage: 1, from: '1', to: 2 })).toBe('to');
    const texts = { chainId: 'c', dataHashes: 0, appHashes: null, signatures: '', signerKeys: '' };
    const sizes = { txCounts: 0, txBytes: [0], dataBlobBytes: 0 };
    const blocks = { chain: 'c', lineage: 1, from: '1', to: '1', times: ['1'], ...texts, ...sizes };
    expect(findMisshapen('BlocksObserved', { ...blocks, count: 1 })).toBeUndefined();
    expect(findMisshapen('BlocksObserved', { ...blocks, count: 1, txBytes: [null] })).toBe('txBytes');
    expect(findMisshapen('BlocksObserved', { ...blocks, count: 1, txCounts: [0, 0] })).toBe('txCounts');
    expect(findMisshapen('BlocksObserved', { ...blocks, count: 4_294_967_296 })).toBe('count');
    expect(findMisshapen('DaStatsClaimed', { looks: { ...LOOKS, first: 0.5 } })).toBe('looks');
  });

  it('ignores new and optional members', () => {
    expect(findMisshapen('DaStatsClaimed', { looks: LOOKS, body: null, later: 1 })).toBeUndefined();
    expect(findMisshapen('BlockUnreadable', { chain: 'c', lineage: 1, height: '5' })).toBeUndefined();
    expect(findMisshapen('NotYetKnown' as never, {})).toBeUndefined();
  });
});
