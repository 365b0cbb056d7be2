import { QUARTER_US } from '../domain/time.js';
import { quarterOf, quarterOfBlock } from './quarters.js';

const BEFORE = -900_000_000n;

describe('the quarter hour of a time', () => {
  it.each([
    ['its first moment', 0n, 0n],
    ['its last', QUARTER_US - 1n, 0n],
    ['the first of the next', QUARTER_US, QUARTER_US],
    ['one before 1970, as SQL has it', -1n, BEFORE],
    ['the first of one before 1970', BEFORE, BEFORE],
  ])('begins at or before %s', (_, at, begins) => {
    expect(quarterOf(at)).toBe(begins);
  });

  it('is the first of all for a block of an earlier time', () => {
    expect(quarterOfBlock(-1n)).toBe(0n);
  });
});
