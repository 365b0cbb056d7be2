/** A picture that there is: code points that are kept for later ones are shown as `?`, and join nothing. */
const PICTURE = '(?!\\p{Cn})\\p{Extended_Pictographic}';

/**
 * Characters that nobody sees but a terminal or browser obeys. They are control characters (C0, DEL, C1),
 * those that turn the writing direction, separators of lines, and half characters. So is everything of no
 * width (tags, fillers, selectors). What an emoji is made with is left out: the joiner between two pictures,
 * and the two selectors of its looks.
 */
const INVISIBLE =
  `(?!(?<=${PICTURE}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=${PICTURE}))` +
  '(?![\\ufe0e\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';

const ANY_INVISIBLE = new RegExp(INVISIBLE, 'u');

/** Beside them what no font has: private use, unassigned, and the marks of an object left out and of what could not be decoded. */
const UNPRINTABLE = new RegExp(`${INVISIBLE}|[\\p{Co}\\p{Cn}\\ufffc\\ufffd]`, 'gu');

/** Marks upon one letter beyond what any script needs: a pile of them covers the lines above and below. */
const PILE_OF_MARKS = /(\p{M}{6})\p{M}+/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/** UTF-16 units that are shown of a text unless told otherwise. */
const USUAL_LENGTH = 2_000;

/**
 * A text of anybody's as one line that can be shown on a terminal. Nothing in it moves the cursor, turns the writing
 * direction or begins an escape. It is no longer than `longest`. What is not shown becomes `?`; ordinary emoji, accents
 * and right-to-left letters stay. Applied to its own result, it changes nothing.
 *
 * @param longest UTF-16 units at most, the mark of omission included
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

/** A text of several lines, each as {@link toPrintable} makes it. */
export function toPrintableLines(text: string, longestLine = USUAL_LENGTH): string {
  return text
    .split(/\r?\n/)
    .map((line) => toPrintable(line, longestLine))
    .join('\n');
}

/** Whether a text holds what can be obeyed but not seen, half characters included. */
export function hidesSomething(text: string): boolean {
  return !PLAIN.test(text) && ANY_INVISIBLE.test(text);
}

/**
 * JSON whose texts hold nothing unprintable: such characters are written as `\uXXXX`, which means the same to whoever
 * parses it. Line ends between the tokens stay.
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
