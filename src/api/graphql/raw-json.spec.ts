import fc from 'fast-check';
import { jsonPieces, RawJson } from './raw-json.js';
import { tries } from '../../../test/support/tries.js';

const print = (value: unknown): string => [...jsonPieces(value)].join('');

describe('raw JSON in an answer', () => {
  it('appears where it belongs, letter by letter', () => {
    const text = '{"a": 9007199254740993, "b":1.0e2,"c":"\\u00e9"}';
    expect(print({ list: [{ raw: new RawJson(text) }, { raw: null }], last: 'x' })).toBe(
      `{"list":[{"raw":${text}},{"raw":null}],"last":"x"}`,
    );
  });

  it('is not searched for in texts, nor changed by its content', () => {
    const text = '{"$1":"$&","mark":"0:1"}';
    expect(print([new RawJson(text), '"0"', '$&'])).toBe(`[${text},"\\"0\\"","$&"]`);
  });

  it('is printed by a serialiser that does not know it', () => {
    expect(JSON.stringify([new RawJson('{"a":1}')])).toBe('[{"a":1}]');
  });
});

describe('an answer in pieces', () => {
  it('equals the answer in one piece, whatever it holds', () => {
    // Includes values that JSON leaves out or prints as null.
    const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, NaN, Infinity, new Date(0)));
    const value = fc.oneof(fc.array(leaf), fc.dictionary(fc.string(), fc.oneof(leaf, fc.array(leaf))));
    fc.assert(
      fc.property(value, (payload) => {
        expect(print(payload)).toBe(JSON.stringify(payload));
      }),
      tries(100),
    );
  });

  it('equals the answer in one piece with raw texts anywhere in it', () => {
    const raw = fc.jsonValue().map((each) => new RawJson(JSON.stringify(each)));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        raw,
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (payload) => {
        // Raw texts have no blanks, like the plain serializer's output of the parsed values.
        expect(print(payload)).toBe(JSON.stringify(payload));
      }),
      tries(100),
    );
  });

  it('comes in pieces of a bounded length, and is generated no further than it is read', () => {
    let made = 0;
    const row = (): object => ({
      toJSON: () => {
        made += 1;
        return 'x'.repeat(1_000);
      },
    });
    const pieces = jsonPieces({ data: { list: Array.from({ length: 1_000 }, row) } });
    const first = String(pieces.next().value);
    expect(first.length).toBeGreaterThan(65_000);
    expect(first.length).toBeLessThan(67_000);
    expect(made).toBeLessThan(70);
    expect(first.length + [...pieces].join('').length).toBe(
      '{"data":{"list":[]}}'.length + 1_003 * 1_000 - 1,
    );
  });

  it('comes in pieces of a bounded length even if long elements follow short ones', () => {
    const list = Array.from({ length: 600 }, (_, index) => (index < 500 ? null : 'x'.repeat(50_000)));
    const lengths = [...jsonPieces({ list })].map((piece) => piece.length);
    expect(Math.max(...lengths)).toBeLessThan(65_536 + 4_096 + 50_003);
    expect(lengths).toHaveLength(51);
  });
});
