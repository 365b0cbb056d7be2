import * as fc from 'fast-check';
import { tries } from '../../test/support/tries.js';
import { canonicalJson, isNestedTooDeep, parseExactJson } from './exact-json.js';

describe('parsing JSON without losing digits', () => {
  it('keeps a number of sixteen digits or more as it was written', () => {
    expect(
      parseExactJson(
        '{"height": 9007199254740993, "price":-0.12345678901234567890, "n":[18446744073709551615]}',
      ),
    ).toEqual({
      height: '9007199254740993',
      price: '-0.12345678901234567890',
      n: ['18446744073709551615'],
    });
  });

  it('leaves shorter numbers, and digits inside of strings, as they are', () => {
    const text = '{"a":"x: 12345678901234567890 \\" , 12345678901234567890","b":12,"c":12345678901234567890}';
    expect(parseExactJson(text)).toEqual({
      a: 'x: 12345678901234567890 " , 12345678901234567890',
      b: 12,
      c: '12345678901234567890',
    });
  });

  it('refuses what JSON.parse refuses', () => {
    for (const text of ['', '{"a":01234567890123456789}', '[1234567890123456.]', 'NaN', '{"a":1']) {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    }
  });

  it('agrees with JSON.parse wherever no number is long', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const isShort = !/\d[\d.]{14}/.test(text);
        expect(parseExactJson(text)).toEqual(isShort ? JSON.parse(text) : expect.anything());
      }),
      { ...tries(100), examples: [['{"a":1}']] },
    );
  });
});

describe('the canonical text of a JSON value', () => {
  it('is the same for every order of members, every blank and every escape', () => {
    expect(canonicalJson('{ "b" : [1, {"d":2,"c":"\\u0041"}], "a":12345678901234567890 }')).toBe(
      canonicalJson('{"a":12345678901234567890,"b":[1,{"c":"A","d":2}]}'),
    );
  });

  it('equals that of an object whose members were sorted by name', () => {
    const sorted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(sorted);
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
    };
    const name = fc.oneof(
      fc.string(),
      fc.integer({ min: -1 }).map(String),
      fc.constantFrom('__proto__', '4294967295', '01'),
    );
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean());
    const value = fc.dictionary(name, fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf)), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(value, (members) => {
        const text = JSON.stringify(members);
        expect(canonicalJson(text)).toBe(JSON.stringify(sorted(JSON.parse(text))));
      }),
      tries(100),
    );
  });

  it('differs if any digit differs', () => {
    expect(canonicalJson('{"a":12345678901234567890}')).not.toBe(canonicalJson('{"a":12345678901234567891}'));
  });

  it('never throws: invalid JSON, or endlessly nested text, is used as it is', () => {
    expect(canonicalJson(' {"a":NaN} ')).toBe('{"a":NaN}');
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(canonicalJson(deep)).toBe(deep);
  });
});

describe('the nesting of a JSON text', () => {
  it.each([
    ['a row', '{"blob_ids":["00","01"],"more":{"a":[[]]}}', false],
    ['200 levels', '['.repeat(200) + ']'.repeat(200), false],
    ['201 levels', '['.repeat(201) + ']'.repeat(201), true],
    ['objects in lists', '[{"a":'.repeat(101) + '0' + '}]'.repeat(101), true],
    ['many, side by side', `[${'[],'.repeat(1_000)}[]]`, false],
    ['brackets in a text', `{"message":"${'['.repeat(300)}"}`, false],
    ['brackets behind an escaped quote', `{"message":"\\"${'['.repeat(300)}\\\\"}`, false],
    ['no JSON', '['.repeat(500_000), true],
  ])('%s', (_, text, isTooDeep) => {
    expect(isNestedTooDeep(text)).toBe(isTooDeep);
  });
});
