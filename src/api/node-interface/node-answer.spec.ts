import { withMember } from './node-answer.js';

describe('a member that is added to an object as sent', () => {
  it.each([
    ['{}', '{"more":1}'],
    ['{ }', '{ "more":1}'],
    ['{"a":1.50}\n', '{"a":1.50,"more":1}'],
    ['{"a":"more","b":2}', '{"a":"more","b":2,"more":1}'],
    ['{"more":{"x":1},"a":1}', '{"a":1,"more":1}'],
  ])('comes after the others, and once: %s', (object, expected) => {
    expect(withMember(object, 'more', 1)).toBe(expected);
  });
});
