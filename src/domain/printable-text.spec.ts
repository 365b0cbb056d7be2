import fc from 'fast-check';
import { hidesSomething, toPrintable, toPrintableJson, toPrintableLines } from './printable-text.js';
import { tries } from '../../test/support/tries.js';

/** Texts that mix ordinary letters with everything that a terminal or browser obeys. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]0;title\u0007',
        '\u009b2J',
        '\u0085',
        '\u007f',
        '\r\n',
        '\u202e',
        '\u2066',
        '\u200f',
        '\u061c',
        '\u200b',
        '\u200d',
        '\ufeff',
        '\u00ad',
        '\u2028',
        '\ud800',
        '\udc00',
        '\u{e0041}',
        '\u{e0001}',
        '\ufff9',
        '\u3164',
        '\u{1f468}\u200d\u{1f469}',
        '\u{1fc00}\u200d\u{1f468}',
        '\ufe0f',
        '\u0301'.repeat(9),
        'e\u0301',
        '\u05e9\u05dc\u05d5\u05dd',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Written independently of the code, so that one mistake does not hide in both. */
function obeyed(text: string): string[] {
  return Array.from(text).filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return (
      code < 0x20 ||
      (code >= 0x7f && code <= 0x9f) ||
      code === 0xad ||
      code === 0x61c ||
      (code >= 0x200b && code <= 0x200f && code !== 0x200d) ||
      (code >= 0x2028 && code <= 0x202e) ||
      (code >= 0x2060 && code <= 0x206f) ||
      (code >= 0xd800 && code <= 0xdfff) ||
      code === 0xfeff ||
      (code >= 0xfff9 && code <= 0xfffd) ||
      (code >= 0xe0000 && code <= 0xe0fff)
    );
  });
}

describe('a text for the terminal', () => {
  it.each([
    ['plain text', 'value "12" of größe 漢字 😀'],
    ['pictures that are joined', '👨‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 1️⃣'],
    ['accents that stand apart', 'e\u0301 नमस्ते ภาษาไทย'],
    ['letters that are read from the right', 'שָׁלוֹם مرحبا'],
  ])('stays as it is with %s', (_, text) => {
    expect(toPrintable(text)).toBe(text);
    expect(hidesSomething(text)).toBe(false);
  });

  it('is one line without anything that a terminal would obey', () => {
    expect(toPrintable('a\u001b[31mb\r\n c\u0000\u009b2J\u202ed\u2028e', 100)).toBe('a?[31mb c??2J?d e');
    expect(toPrintable('a\u200bb\u2066c\u200fd\u{e0041}e\u00adf\ud800g\u200dh')).toBe('a?b?c?d?e?f?g?h');
  });

  it('stacks no unlimited number of marks on a letter', () => {
    expect(toPrintable(`z${'\u0335'.repeat(500)}y`)).toBe(`z${'\u0335'.repeat(6)}?y`);
  });

  it('is never longer than requested, and never holds half a character', () => {
    expect(toPrintable('12345678901', 10)).toBe('123456789…');
    expect(toPrintable('1234567890', 10)).toBe('1234567890');
    expect(toPrintable('x'.repeat(1e6)).length).toBeLessThanOrEqual(2_000);
  });

  it('holds nothing that moves a cursor, turns the direction or begins an escape, and stays what it is', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, longest) => {
        const printable = toPrintable(text, longest);
        expect(printable.length).toBeLessThanOrEqual(longest);
        expect(obeyed(printable)).toEqual([]);
        expect(hidesSomething(printable)).toBe(false);
        expect(printable).not.toMatch(/\p{M}{7}/u);
        expect(toPrintable(printable, longest)).toBe(printable);
      }),
      tries(500),
    );
  });

  it('keeps the lines of a text that has some', () => {
    expect(toPrintableLines('one\r\n\ttwo\u001b[2J\nthree')).toBe('one\n two?[2J\nthree');
  });

  it('is recognised if it hides something', () => {
    for (const text of ['a\u0085', '\u202eb', 'c\u200b', '\u0000', '\ud83d', 'd\u2028', '\u{e0041}']) {
      expect([text, hidesSomething(text)]).toEqual([text, true]);
    }
  });

  it('is JSON with the same meaning', () => {
    fc.assert(
      fc.property(nasty, nasty, (name, value) => {
        const thing = { [name]: [value, { deep: value }] };
        for (const json of [JSON.stringify(thing), JSON.stringify(thing, undefined, 2)]) {
          const printable = toPrintableJson(json);
          expect(obeyed(printable.replaceAll('\n', ''))).toEqual([]);
          expect(JSON.parse(printable)).toEqual(JSON.parse(json));
        }
      }),
      tries(100),
    );
  });
});
