import { isKeyName } from './key-text.js';

describe('the name of a key', () => {
  it.each(['dashboard', 'A1', 'a.b-c_d', 'settings-x', 'x'.repeat(64)])('can be %p', (name) => {
    expect(isKeyName(name)).toBe(true);
  });

  it.each([
    'settings',
    'Settings',
    'SETTINGS-2',
    'loopback',
    'LoopBack',
    '',
    '-a',
    '..',
    'a b',
    'a\n',
    'x'.repeat(65),
  ])('cannot be %p', (name) => {
    expect(isKeyName(name)).toBe(false);
  });
});
