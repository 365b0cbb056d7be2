import * as fc from 'fast-check';
import { scanRows } from './row-scanner.js';
import { tries } from '../../../test/support/tries.js';

const strange = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', '\\\\"', '}]', '{"submissions":[', ']}', '\u2028', '\ud83d\ude00', ',\n:'),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    strange,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(strange, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const members = fc.dictionary(
  strange.filter((name) => !['submissions', 'data', 'result', '__proto__'].includes(name)),
  value,
  { maxKeys: 3 },
);
const documents = fc.record({
  rows: fc.array(value, { maxLength: 6 }),
  before: members,
  after: members,
  blank: fc.constantFrom('', ' ', '\n  ', '\t'),
});

type Shape = 'submissions' | 'data' | 'result' | 'bare';

function write(
  { rows, before, after, blank }: { rows: unknown[]; before: object; after: object; blank: string },
  shape: Shape,
): string {
  const list = shape === 'result' ? { result: { ...before, submissions: rows } } : { [shape]: rows };
  return (
    blank + JSON.stringify(shape === 'bare' ? rows : { ...before, ...list, ...after }, null, blank) + blank
  );
}

describe('cutting a list into rows', () => {
  for (const shape of ['submissions', 'data', 'result', 'bare'] as const) {
    it(`agrees with JSON.parse on a list of shape "${shape}"`, () => {
      fc.assert(
        fc.property(documents, (document) => {
          const text = write(document, shape);
          const { rows, complete, rest } = scanRows(text);
          expect(rows.map((row) => JSON.parse(row))).toEqual(JSON.parse(JSON.stringify(document.rows)));
          expect(rows.every((row) => text.includes(row))).toBe(true);
          expect(complete).toBe(true);
          const others = shape === 'bare' ? {} : { ...document.before, ...document.after };
          expect(Object.keys(rest).sort()).toEqual(Object.keys(others).sort());
        }),
        tries(100),
      );
    });
  }

  it('returns the rows before a cut, wherever it is, and marks them as incomplete', () => {
    fc.assert(
      fc.property(documents, fc.double({ min: 0, max: 1, noNaN: true }), (document, share) => {
        const text = write(document, 'submissions').trim();
        const cut = text.slice(0, 1 + Math.floor(share * (text.length - 2)));
        const { rows, complete } = scanRows(cut);
        expect(complete).toBe(false);
        expect(rows).toEqual(scanRows(text).rows.slice(0, rows.length));
      }),
      tries(100),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => void scanRows(text)),
      tries(100),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', ' ', '"submissions":')),
        (parts) => void scanRows(parts.join('')),
      ),
      tries(100),
    );
    expect(scanRows('{"data":'.repeat(100_000)).complete).toBe(false);
  });

  it('keeps an invalid row as long as its brackets close', () => {
    expect(scanRows('{"submissions":[{"a":NaN},{"b":1},nul,{"c":tru}],"total":4}')).toEqual({
      rows: ['{"a":NaN}', '{"b":1}', 'nul', '{"c":tru}'],
      complete: true,
      rest: { total: 4 },
    });
  });

  it('reads the members around the list, wherever they are', () => {
    const body = '{"is_aggregator":false,"message":"This node does not submit","submissions":[],"total":0}';
    expect(scanRows(body)).toEqual({
      rows: [],
      complete: true,
      rest: { is_aggregator: false, message: 'This node does not submit', total: 0 },
    });
  });

  it.each(['', ' \n', '{}', '[]', '{"submissions":null}', '{"total":0}', '\ufeff{"submissions":[]}'])(
    'reads %j as an empty list',
    (body) => {
      expect(scanRows(body)).toMatchObject({ rows: [], complete: true });
    },
  );

  it.each([
    '<html>',
    '{"error":"not today"}',
    'null',
    '{"submissions":5}',
    '{"submissions":[]',
    '{"submissions":[]}x',
    '[{"a":]}]',
    '{"data":null,"errors":[]}',
  ])('reads %j as no list at all', (body) => {
    expect(scanRows(body)).toMatchObject({ rows: [], complete: false });
  });
});
