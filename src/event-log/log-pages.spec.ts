import fc from 'fast-check';
import { countReadable, type StoredSize } from './log-pages.js';
import { tries } from '../../test/support/tries.js';

const size = fc.record({ bytes: fc.integer({ min: 1, max: 32_000_000 }), isCompressed: fc.boolean() });

/** Upper bound for the text that comes out of the stored bytes. */
const atMost = ({ bytes, isCompressed }: StoredSize): number => (isCompressed ? bytes * 255 : bytes);
const sum = (sizes: readonly number[]): number => sizes.reduce((total, each) => total + each, 0);

describe('events that one statement reads', () => {
  it('are at least one, and more only if their texts are bounded however well they were compressed', () => {
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 50 }),
        fc.nat({ max: 49 }),
        fc.integer({ min: 1, max: 8_000_000 }),
        (sizes, first, room) => {
          const from = first % sizes.length;
          const count = countReadable(sizes, from, room);
          const read = sizes.slice(from, from + count);
          expect(count).toBeGreaterThanOrEqual(1);
          expect(count).toBeLessThanOrEqual(sizes.length - from);
          if (count > 1) expect(sum(read.map(atMost))).toBeLessThanOrEqual(16_000_000);
          // Only the last event may exceed the room.
          expect(sum(read.slice(0, -1).map(({ bytes }) => bytes))).toBeLessThan(Math.max(room, 1));
          const next = sizes[from + count];
          if (!next) return;
          const isFull = sum(read.map(({ bytes }) => bytes)) >= room;
          expect(isFull || sum([...read, next].map(atMost)) > 16_000_000).toBe(true);
        },
      ),
      tries(100),
    );
  });

  it('are all of them if they are small', () => {
    const small = Array.from({ length: 1_000 }, () => ({ bytes: 700, isCompressed: false }));
    expect(countReadable(small, 0, 4_000_000)).toBe(1_000);
    expect(countReadable(small, 990, 4_000_000)).toBe(10);
  });
});
