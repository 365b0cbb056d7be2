import { RawJson, stringifyWithRaw } from './raw-json.js';

describe('raw JSON in an answer', () => {
  it('stands where it belongs, letter by letter', () => {
    const text = '{"a": 9007199254740993, "b":1.0e2,"c":"\\u00e9"}';
    expect(stringifyWithRaw({ list: [{ raw: new RawJson(text) }, { raw: null }], last: 'x' })).toBe(
      `{"list":[{"raw":${text}},{"raw":null}],"last":"x"}`,
    );
  });

  it('is not searched for in texts, nor changed by what it holds', () => {
    const text = '{"$1":"$&","mark":"0:1"}';
    expect(stringifyWithRaw([new RawJson(text), '"0"', '$&'])).toBe(`[${text},"\\"0\\"","$&"]`);
  });
});
