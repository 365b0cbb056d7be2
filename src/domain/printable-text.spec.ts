import fc from 'fast-check';
import { toPrintable } from './printable-text.js';

describe('a text for the terminal', () => {
  it('stays as it is where it is short and plain', () => {
    expect(toPrintable('value "12" of größe 漢字 😀', 100)).toBe('value "12" of größe 漢字 😀');
  });

  it('is one line without what a terminal would obey', () => {
    expect(toPrintable('a\u001b[31mb\r\n c\u0000\u009b2J\u202ed\u2028e', 100)).toBe('a?[31mb c??2J?d e');
  });

  it('is never longer than told, and never holds half a character', () => {
    expect(toPrintable('12345678901', 10)).toBe('123456789…');
    expect(toPrintable('1234567890', 10)).toBe('1234567890');
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (text, longest) => {
          const printable = toPrintable(text, longest);
          expect(printable.length).toBeLessThanOrEqual(longest);
          expect(printable).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]*$/u);
        },
      ),
    );
  });
});
