import { toNamespace } from './namespace.js';

const ZEROS = '00'.repeat(18);
/** The namespace of a real node that is configured with `lab-header`. */
const HEADERS = `00${ZEROS}1628c730f46c460a762a`;

describe('a namespace, as nodes accept it', () => {
  it.each([
    ['by its name', 'lab-header', HEADERS],
    ['in hex', HEADERS, HEADERS],
    ['with 0x and in capitals', `0x${HEADERS.toUpperCase()}`, HEADERS],
    ['of a version that may be anything', `ff${'ab'.repeat(28)}`, `ff${'ab'.repeat(28)}`],
  ])('is read %s', (_, text, expected) => expect(toNamespace(text)).toBe(expected));

  it.each([
    ['too short', '00'],
    ['of version 0 without its zeros', `00${'ab'.repeat(28)}`],
    ['no hex', 'zz'.repeat(29)],
  ])('is the namespace of a name if it is %s', (_, text) =>
    expect(toNamespace(text)).toMatch(new RegExp(`^00${ZEROS}[0-9a-f]{20}$`)),
  );
});
