import { sourceOf } from './failure-source.js';

describe('the source of failing submissions', () => {
  it('is the DA node where Hindsight does not reach it either', () => {
    expect(sourceOf('da-node-unreachable', 'DA_CONNECTION_LOST')).toContain('begin with the DA node');
  });

  it('is between both where the DA node is well', () => {
    expect(sourceOf('healthy', 'DA_UNREACHABLE')).toContain("check the rollup node's DA address");
    expect(sourceOf('healthy', 'DA_UNAUTHORIZED')).toContain('only the token of the rollup node');
  });

  it.each(['TOO_BIG', 'FEE_TOO_LOW', 'OUT_OF_GAS'] as const)('is not the DA node for %s', (code) => {
    for (const rule of ['healthy', 'da-node-behind', 'da-node-unreachable'])
      expect(sourceOf(rule, code)).toBeUndefined();
  });

  it.each(['not-watched', 'not-reached', 'da-token-refused', 'retired'])('is not known by %s', (rule) => {
    expect(sourceOf(rule, 'DA_UNREACHABLE')).toBeUndefined();
  });

  it('is not concluded from a healthy DA node where the transaction was sent, or the rows speak of funds', () => {
    for (const code of ['NOT_INCLUDED', 'OUT_OF_FUNDS', 'UNKNOWN', null] as const)
      expect(sourceOf('healthy', code)).toBeUndefined();
    expect(sourceOf('da-node-behind', 'NOT_INCLUDED')).toContain('is old');
  });

  it('is the account where the rows do not say so', () => {
    expect(sourceOf('funds-low', 'OUT_OF_FUNDS')).toBeUndefined();
    expect(sourceOf('funds-low', 'IN_MEMPOOL_ALREADY')).toContain('fund it');
  });

  it('is not the account where the rollup node does not reach the DA node', () => {
    for (const code of ['DA_UNREACHABLE', 'DA_CONNECTION_LOST', 'TIMED_OUT'] as const)
      expect(sourceOf('funds-low', code)).toContain("check the rollup node's DA address");
    expect(sourceOf('funds-low', 'FEE_TOO_LOW')).toBeUndefined();
  });

  it('is not known where the DA node is not watched', () => {
    expect(sourceOf(undefined, null)).toBeUndefined();
  });
});
