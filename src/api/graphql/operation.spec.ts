import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { toAnswerText } from './operation.js';

describe('the text of an answer', () => {
  /** So many rows of a thousand characters, and how many of them were printed. */
  const rowsOf = (count: number): { rows: object[]; printed: () => number } => {
    let printed = 0;
    const row = (): object => ({
      toJSON: () => {
        printed += 1;
        return 'ä'.repeat(1_000);
      },
    });
    return { rows: Array.from({ length: count }, row), printed: () => printed };
  };

  it('is one text when it is short', () => {
    expect(toAnswerText({ data: { list: [1, null] } })).toBe('{"data":{"list":[1,null]}}');
  });

  it('comes in pieces that make up the whole when it is long', async () => {
    const payload = { data: { list: rowsOf(1_000).rows }, extensions: { cost: 1 } };
    const answer = toAnswerText(payload);
    expect(answer).toBeInstanceOf(Readable);
    expect(await text(answer as Readable)).toBe(JSON.stringify(payload));
  });

  it('is printed no further when its client has left', async () => {
    const { rows, printed } = rowsOf(1_000);
    const answer = toAnswerText({ data: { list: rows } }) as Readable;
    await once(answer, 'data');
    answer.destroy();
    await once(answer, 'close');
    const atTheEnd = printed();
    expect(atTheEnd).toBeLessThan(400);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(printed()).toBe(atTheEnd);
  });
});
