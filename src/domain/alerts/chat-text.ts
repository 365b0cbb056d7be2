import type { Message } from './alert-ledger.js';
import { toNoticeText } from './notice-text.js';

/** Characters that some chat reads as a mention, a format or part of a link. A `_` within a word is none of them. */
const MARKUP = /[@#*~`|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=\])\(|(?<=:)\//gu;

/** Wide forms of ASCII characters look alike and mean nothing to a chat. */
const TO_WIDE = 0xfee0;

/**
 * The lines of a notice for a chat that reads markup. Text of a node becomes no mention, link or format: neither by `<`, `>` and `&`,
 * as in Slack and Telegram, nor by what Mattermost and Discord read in Slack's messages. Lines that do not fit are left out: a chat refuses a longer text, and half a link leads nowhere.
 *
 * @param longest UTF-16 units of all lines
 */
export function toChatLines(notice: Message, longest: number): string[] {
  const { text } = toNoticeText(withoutMarkup(notice));
  let room = longest + 1;
  return escapeTags(text)
    .split('\n')
    .filter((line) => {
      const fits = line.length < room;
      if (fits) room -= line.length + 1;
      return fits;
    });
}

/** Replaces markup in what nodes send and people type. The id of a node needs no check: the settings allow no markup in it. */
function withoutMarkup(notice: Message): Message {
  const { alert, reason, by } = notice;
  const chain = alert.chain === null ? null : widen(alert.chain);
  return {
    ...notice,
    ...(reason !== undefined && { reason: widen(reason) }),
    ...(by !== undefined && { by: widen(by) }),
    alert: { ...alert, chain, reason: widen(alert.reason) },
  };
}

function widen(text: string): string {
  return text.replace(MARKUP, (character) => String.fromCharCode(character.charCodeAt(0) + TO_WIDE));
}

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
