/** An assigned pictograph: code points reserved for future pictographs are shown as `?`, and a joiner does not join them. */
const PICTURE = '(?!\\p{Cn})\\p{Extended_Pictographic}';

/**
 * Characters that are invisible but obeyed by a terminal or browser: control characters (C0, DEL, C1), changes of the
 * writing direction, line separators, lone surrogates, and everything without width (tags, fillers, selectors). Parts of
 * emoji are exempt: the joiner between two pictures, and the two selectors of their appearance.
 */
const INVISIBLE =
  `(?!(?<=${PICTURE}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=${PICTURE}))` +
  '(?![\\ufe0e\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';

const ANY_INVISIBLE = new RegExp(INVISIBLE, 'u');

/** Invisible characters and those no font has: private use, unassigned, object replacement and replacement character. */
const UNPRINTABLE = new RegExp(`${INVISIBLE}|[\\p{Co}\\p{Cn}\\ufffc\\ufffd]`, 'gu');

/** More combining marks on one letter than any script needs: a pile of them covers the lines above and below. */
const PILE_OF_MARKS = /(\p{M}{6})\p{M}+/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/** Longest text shown by default, in UTF-16 units. */
const USUAL_LENGTH = 2_000;

/**
 * Makes one line of an untrusted text, safe for a terminal: nothing in it moves the cursor, changes the writing direction
 * or begins an escape. Characters that are not shown become `?`; ordinary emoji, accents and right-to-left letters stay.
 * Applied to its own result, it changes nothing.
 *
 * @param longest UTF-16 units at most, the ellipsis included
 */
export function toPrintable(text: string, longest = USUAL_LENGTH): string {
  // Cut first, so that a huge text costs no more than a long one.
  const start = text.slice(0, longest + 1).replace(/\s+/g, ' ');
  const line = PLAIN.test(start) ? start : start.replace(UNPRINTABLE, '?').replace(PILE_OF_MARKS, '$1?');
  // A cut must leave neither half a character nor a joiner that joins nothing.
  return text.length > longest
    ? `${line.slice(0, longest - 1).replace(/[\ud800-\udbff\u200d]+$/, '')}…`
    : line;
}

/** Makes one word for a POSIX shell of an untrusted text, safe to paste into a terminal: unprintable characters become `?`. */
export function quoteForShell(text: string): string {
  const word = toPrintable(text);
  return /^[\w%+,./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Applies {@link toPrintable} to each line. */
export function toPrintableLines(text: string, longestLine = USUAL_LENGTH): string {
  return text
    .split(/\r?\n/)
    .map((line) => toPrintable(line, longestLine))
    .join('\n');
}

/** Whether a text contains characters that are obeyed but not seen, lone surrogates included. */
export function hidesSomething(text: string): boolean {
  return !PLAIN.test(text) && ANY_INVISIBLE.test(text);
}

/**
 * Escapes unprintable characters in JSON as `\uXXXX`, which parsers read as the same text. Line ends between the tokens
 * stay.
 */
export function toPrintableJson(json: string): string {
  if (/^[\n\x20-\x7e]*$/.test(json)) return json;
  return json.replace(UNPRINTABLE, (character) => (character === '\n' ? character : toEscapes(character)));
}

function toEscapes(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index);
    return `\\u${unit.toString(16).padStart(4, '0')}`;
  }).join('');
}
