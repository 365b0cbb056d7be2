import { readFee, readHeight, readNamespace, readTransaction } from './fee-fields.js';

const ID = `${'00'.repeat(18)}b7b24d9321578eb83626`;
const NAMESPACE = `00${ID}`;

describe('fields of a file of fees', () => {
  it.each([
    ['12', '12'],
    ['12.0', '12'],
    ['4611686018427387904', '4611686018427387904'],
  ])('include %s as a DA height', (text, value) => {
    expect(readHeight(text)).toEqual({ value });
  });

  it.each(['', '0', '-1', '1.5', '1e3', '1,000', '4611686018427387905', 'x', '9'.repeat(50)])(
    'do not include %j as a DA height',
    (text) => {
      expect(readHeight(text)).toHaveProperty('fault');
    },
  );

  it.each([
    ['761', '761'],
    ['761utia', '761'],
    ['761 utia', '761'],
    ['761.00', '761'],
    ['000761', '761'],
  ])('include %s as utia', (text, value) => {
    expect(readFee(text, 'utia')).toEqual({ value });
  });

  it.each([
    ['', 'has no fee'],
    ['-5', 'is negative'],
    ['0', 'the fee is 0'],
    ['7.5', 'not a whole number of utia'],
    ['1e3', 'not a whole number of utia'],
    ['1'.repeat(19), 'too large'],
    ['NaN', 'not a whole number'],
  ])('do not include %j as utia: %s', (text, fault) => {
    expect(readFee(text, 'utia')).toEqual({ fault: expect.stringContaining(fault) as unknown });
  });

  it.each([
    ['0.000761', '761'],
    ['1', '1000000'],
    ['0.0000010000', '1'],
    ['12.5 TIA', '12500000'],
  ])('include %s as TIA, exactly', (text, value) => {
    expect(readFee(text, 'TIA')).toEqual({ value });
  });

  it.each([
    ['0.0000001', 'with at most 6 decimals'],
    ['0.0', 'the fee is 0'],
    ['-0.1', 'is negative'],
    ['.5', 'not a decimal number'],
    ['1,5', 'not a decimal number'],
  ])('do not include %j as TIA: %s', (text, fault) => {
    expect(readFee(text, 'TIA')).toEqual({ fault: expect.stringContaining(fault) as unknown });
  });

  it.each([
    [NAMESPACE, ''],
    [`0x${NAMESPACE.toUpperCase()}`, ''],
    [Buffer.from(NAMESPACE, 'hex').toString('base64'), ''],
    [Buffer.from(NAMESPACE, 'hex').toString('base64url'), ''],
    [ID, '0'],
    [ID, ''],
    ['b7b24d9321578eb83626', ''],
    ['0xb7b24d9321578eb83626', '0'],
    [Buffer.from(ID, 'hex').toString('base64'), '0'],
  ])('include %s with version %j as the namespace', (text, version) => {
    expect(readNamespace(text, version)).toEqual({ value: NAMESPACE });
  });

  it('include an id with its version, and no namespace if there is none', () => {
    expect(readNamespace('ff'.repeat(28), '255')).toEqual({ value: 'ff'.repeat(29) });
    expect(readNamespace('')).toEqual({ value: null });
  });

  it.each([
    ['ff'.repeat(28), ''],
    ['ff'.repeat(28), '256'],
    ['ff'.repeat(28), 'x'],
    ['b7b24d9321578eb83626', '1'],
    ['abc', ''],
    ['a namespace', ''],
    ['ab'.repeat(30), ''],
  ])('do not include %s with version %j as a namespace', (text, version) => {
    expect(readNamespace(text, version)).toHaveProperty('fault');
  });

  it('include hashes of transactions as hex or base64, and nothing else', () => {
    const hash = 'ab'.repeat(32);
    expect(readTransaction(hash.toUpperCase())).toEqual({ value: hash });
    expect(readTransaction(`0x${hash}`)).toEqual({ value: hash });
    expect(readTransaction(Buffer.from(hash, 'hex').toString('base64'))).toEqual({ value: hash });
    expect(readTransaction('')).toEqual({ value: null });
    expect(readTransaction('ab')).toHaveProperty('fault');
  });
});
