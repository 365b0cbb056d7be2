import fc from 'fast-check';
import { Reconciliation, type BalanceAtHeight, type LandedFee, type Rise } from './reconciliation.js';

/** The movements of one block, utia. */
interface Block {
  readonly fees: readonly number[];
  readonly other: number;
  readonly topUp: number;
  readonly isRead: boolean;
}

const START = 1_000_000n;

const blocks = (movements: Partial<Record<'other' | 'topUp', number>> = {}) =>
  fc.array(
    fc.record({
      fees: fc.array(fc.nat(500), { maxLength: 3 }),
      other: fc.nat(movements.other ?? 800),
      topUp: fc.oneof(fc.constant(0), fc.nat(movements.topUp ?? 3_000)),
      isRead: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  );

/** The balances that somebody reads, of an account whose ledger has these blocks from height 1 on. */
function balancesOf(chain: readonly Block[]): BalanceAtHeight[] {
  let amount = START;
  const read: BalanceAtHeight[] = [{ daHeight: 0n, amount }];
  for (const [index, { fees, other, topUp, isRead }] of chain.entries()) {
    amount += BigInt(topUp - other - fees.reduce((sum, fee) => sum + fee, 0));
    if (isRead || index === chain.length - 1) read.push({ daHeight: BigInt(index + 1), amount });
  }
  return read;
}

function reconcile(chain: readonly Block[], toFee = (fee: number): Partial<LandedFee> => exact(fee)) {
  const balances = balancesOf(chain);
  const rises: Rise[] = balances.slice(1).flatMap(({ daHeight, amount }, index) => {
    const before = balances[index] as BalanceAtHeight;
    const change = amount - before.amount;
    return change > 0n ? [{ afterHeight: before.daHeight, toHeight: daHeight, change }] : [];
  });
  const made = new Reconciliation(balances[0] as BalanceAtHeight, balances.at(-1) as BalanceAtHeight, rises);
  for (const [index, { fees }] of chain.entries())
    for (const fee of fees)
      made.add({ chain: 'lab-1', daHeight: BigInt(index + 1), isOurs: true, fee: null, ...toFee(fee) });
  return { rises, made };
}

const exact = (fee: number) => ({ fee: { min: BigInt(fee), max: BigInt(fee) } });
const sum = (numbers: readonly number[]) => BigInt(numbers.reduce((total, each) => total + each, 0));

describe('a reconciliation', () => {
  it('finds the other movements of the time without a rise, and the top-ups of the time with one', () => {
    fc.assert(
      fc.property(blocks(), (chain) => {
        const { rises, made } = reconcile(chain);
        const isInRise = (height: number) =>
          rises.some(({ afterHeight, toHeight }) => height > afterHeight && height <= toHeight);
        const quiet = chain.filter((_, index) => !isInRise(index + 1));
        const risen = chain.filter((_, index) => isInRise(index + 1));
        const others = (part: readonly Block[]) => sum(part.map(({ other, topUp }) => other - topUp));
        const { fees, difference, topUps, agrees } = made.finish(true);
        expect(fees).toEqual({
          min: sum(chain.flatMap((block) => block.fees)),
          max: sum(chain.flatMap((block) => block.fees)),
        });
        expect(difference).toEqual({ min: others(quiet), max: others(quiet) });
        expect(topUps).toEqual({ min: -others(risen), max: -others(risen) });
        expect(agrees).toBe(others(quiet) === 0n);
      }),
    );
  });

  it('agrees where nothing but fees was paid, also with fees between bounds and of unknown payers', () => {
    fc.assert(
      fc.property(blocks({ other: 0, topUp: 0 }), fc.nat(9), (chain, width) => {
        const around = (fee: number) => ({
          fee: { min: BigInt(Math.max(0, fee - width)), max: BigInt(fee + width) },
          isOurs: fee % 3 !== 0,
        });
        const { agrees, difference } = reconcile(chain, around).made.finish(true);
        const fees = chain.flatMap((block) => block.fees);
        expect(agrees).toBe(fees.length === 0 || fees.some((fee) => fee % 3 !== 0) ? true : null);
        expect(difference.min).toBeLessThanOrEqual(0n);
        expect(difference.max).toBeGreaterThanOrEqual(0n);
      }),
    );
  });

  it('has no upper bound of fees while submissions may be missing, or a fee is unknown', () => {
    const paid = [{ fees: [100, 200], other: 0, topUp: 0, isRead: true }];
    expect(reconcile(paid).made.finish(false)).toMatchObject({
      fees: { min: 300n, max: null },
      difference: { min: null, max: 0n },
      agrees: null,
    });
    const unknown = reconcile(paid, (fee) => (fee === 100 ? { fee: null } : exact(fee)));
    expect(unknown.made.finish(true)).toMatchObject({
      chains: [{ chain: 'lab-1', submissions: 2n, min: 200n, max: null }],
      difference: { min: null, max: 100n },
      agrees: null,
    });
    // An account that lost less than the least of its fees: the price is wrong, whatever is missing.
    const dear = reconcile(paid, (fee) => exact(10 * fee));
    expect(dear.made.finish(false)).toMatchObject({ difference: { min: null, max: -2_700n }, agrees: false });
  });

  it('leaves room for failed attempts, which may have been charged', () => {
    const made = new Reconciliation({ daHeight: 5n, amount: 900n }, { daHeight: 7n, amount: 700n }, []);
    made.add({ chain: 'lab-1', daHeight: 6n, isOurs: true, fee: { min: 100n, max: 100n } });
    made.addFailed({ min: 120n, max: 130n });
    expect(made.finish(true)).toMatchObject({
      fees: { min: 100n, max: 100n },
      failedMax: 130n,
      difference: { min: -30n, max: 100n },
      agrees: true,
    });
    made.addFailed(null);
    expect(made.finish(true)).toMatchObject({ failedMax: null, difference: { min: null }, agrees: null });
  });

  it('proves nothing by fees that may all be of another account', () => {
    const made = new Reconciliation({ daHeight: 5n, amount: 900n }, { daHeight: 7n, amount: 900n }, []);
    made.add({ chain: 'lab-1', daHeight: 6n, isOurs: false, fee: { min: 100n, max: 100n } });
    expect(made.finish(true)).toMatchObject({ difference: { min: -100n, max: 0n }, agrees: null });
  });

  it('counts transactions of the closing block, not of the opening one', () => {
    const made = new Reconciliation({ daHeight: 5n, amount: 900n }, { daHeight: 7n, amount: 800n }, []);
    for (const daHeight of [5n, 7n, 8n])
      made.add({ chain: 'lab-1', daHeight, isOurs: true, fee: { min: 100n, max: 100n } });
    expect(made.finish(true)).toMatchObject({ fees: { min: 100n, max: 100n }, agrees: true });
  });
});
