import { isNestedTooDeep } from './json-depth.js';

describe('the nesting of a JSON text', () => {
  it.each([
    ['a row', '{"blob_ids":["00","01"],"more":{"a":[[]]}}', false],
    ['200 levels', '['.repeat(200) + ']'.repeat(200), false],
    ['201 levels', '['.repeat(201) + ']'.repeat(201), true],
    ['objects in lists', '[{"a":'.repeat(101) + '0' + '}]'.repeat(101), true],
    ['many, one beside the other', `[${'[],'.repeat(1_000)}[]]`, false],
    ['brackets in a text', `{"message":"${'['.repeat(300)}"}`, false],
    ['brackets behind an escaped quote', `{"message":"\\"${'['.repeat(300)}\\\\"}`, false],
    ['no JSON', '['.repeat(500_000), true],
  ])('%s', (_, text, isTooDeep) => {
    expect(isNestedTooDeep(text)).toBe(isTooDeep);
  });
});
