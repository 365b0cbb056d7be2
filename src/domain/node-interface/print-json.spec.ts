import { printJson } from './print-json.js';

describe('JSON of a node', () => {
  it('prints a bigint as a number with all its digits, and no text as a number', () => {
    const value = {
      height: 2n ** 63n,
      chain: '@int64:5',
      rows: [-1n, '7', null, undefined],
      none: undefined,
    };
    expect(printJson(value)).toBe(
      '{"height":9223372036854775808,"chain":"@int64:5","rows":[-1,"7",null,null]}',
    );
  });

  it('otherwise equals JSON.stringify', () => {
    const value = { 'a "name"': [1.5, true, '\n\ud800', {}, []], b: { c: null, d: 1e21 } };
    expect(printJson(value)).toBe(JSON.stringify(value));
  });
});
