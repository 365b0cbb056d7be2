import { randomBytes } from 'node:crypto';

/** JSON text that goes into an answer as it is, so that no digit of what a node sent passes through a double. */
export class RawJson {
  /** @param text must be JSON */
  constructor(readonly text: string) {}

  /** What a serialiser that does not know this class prints. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Marks the places of raw texts while the rest is printed. Nobody outside this process can guess it. */
const MARK = randomBytes(12).toString('hex');
const PLACES = new RegExp(`"${MARK}:(\\d+)"`, 'g');

/** `JSON.stringify` with raw texts in their places. */
export function stringifyWithRaw(payload: unknown): string {
  const texts: string[] = [];
  const json = JSON.stringify(payload, function (this: Record<string, unknown>, key: string, value: unknown) {
    const original = this[key];
    return original instanceof RawJson ? `${MARK}:${texts.push(original.text) - 1}` : value;
  });
  return json.replace(PLACES, (_place, index: string) => texts[Number(index)] ?? 'null');
}
