import { isWorthWriting } from './node-progress.js';

const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 86_400_000;
const progress = (head: string, lastSubmittedHeader: string | null = null) => ({
  head,
  headTimeNs: null,
  daIncluded: null,
  lastSubmittedHeader,
  lastSubmittedData: null,
  headerStoreHead: null,
  oldest: null,
  firstPending: null,
  clockOffsetMs: null,
});

describe('progress of a node', () => {
  it('is recorded once a minute if it changed, and sooner if blocks begin to wait', () => {
    const written = { at: NOW, body: progress('5', '5') };
    const plain = { at: NOW, body: progress('5') };
    expect(isWorthWriting(null, progress('5'), NOW)).toBe(true);
    expect(isWorthWriting(written, progress('5', '5'), NOW + DAY_MS)).toBe(false);
    expect(isWorthWriting(plain, progress('6'), NOW + 59_999)).toBe(false);
    expect(isWorthWriting(plain, progress('6'), NOW + 60_000)).toBe(true);
    expect(isWorthWriting({ at: NOW, body: progress('6', '6') }, progress('6', '5'), NOW + 9_999)).toBe(
      false,
    );
    expect(isWorthWriting({ at: NOW, body: progress('6', '6') }, progress('6', '5'), NOW + 10_000)).toBe(
      true,
    );
  });

  it('does not wait for a clock that was four hundred days ahead at the last record', () => {
    const written = { at: NOW + 400 * DAY_MS, body: progress('5', '5') };
    expect(isWorthWriting(written, progress('6', '6'), NOW)).toBe(true);
  });
});
