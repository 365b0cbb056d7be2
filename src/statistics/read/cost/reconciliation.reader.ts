import { Inject, Injectable } from '@nestjs/common';
import {
  Reconciliation,
  type BalanceAtHeight,
  type Reconciled,
  type Rise,
} from '../../../domain/funds/reconciliation.js';
import type { Micros } from '../../../domain/time.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import { toSource, type Database, type Query } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/prices.js';
import { findChainOwner } from '../../interval/interval-request.js';
import { requireFewRows } from '../../interval/interval-rows.query.js';
import { readCostLines, type CostLine } from '../../roll-up/cost-lines.js';
import { getCoverageOf } from '../coverage/coverage.query.js';
import type { KnownRange } from '../plan/grouped-rows.js';
import { ReadFault } from '../plan/read-fault.js';
import { inSnapshot } from '../../../platform/snapshot.js';
import { timesParameter } from '../plan/stored-rows.js';
import { isDecidedTo } from '../plan/uncounted.query.js';
import { findPayers, type Payer } from './account-payers.query.js';

export interface ReconciliationRequest extends KnownRange {
  /** Bech32 address. */
  readonly account: string;
}

interface TimedBalance extends BalanceAtHeight {
  readonly observedAt: Micros;
}

export interface AccountReconciliation extends Reconciled {
  readonly opening: TimedBalance;
  readonly closing: TimedBalance;
  /** Whether every submission of the account's chains is on record and decided. */
  readonly isComplete: boolean;
}

/** Amounts are as Postgres prints them. */
interface BalanceStep<Amount = bigint> extends Omit<TimedBalance, 'amount'> {
  readonly amount: Amount;
  /** The balance before; null for the first one. */
  readonly before: Amount | null;
  readonly heightBefore: bigint | null;
}

export const LONGEST_RECONCILIATION_US: Micros = 31n * 86_400_000_000n;
/** The submissions before a younger balance may not be recorded yet: polls are recorded once a minute, if nothing happens. */
const SETTLED_US: Micros = 120_000_000n;
const MOST_RISES = 50_000;
/** A submission is recorded at most this long before or after its DA height. */
const MARGIN_US: Micros = 3_600_000_000n;

/** Compares the balances of an account with the fees of its submissions, from their rows. */
@Injectable()
export class ReconciliationReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  reconcile(request: ReconciliationRequest): Promise<AccountReconciliation | undefined> {
    return inSnapshot(this.reads, (query) => reconcileAccount(query, request));
  }
}

/**
 * Undefined if fewer than two balances of the time have a DA height.
 * @param query of one connection inside a transaction
 * @throws ReadFault BAD_INPUT if `from` is not before `to`, TOO_EXPENSIVE for more than 31 days or too many rows
 */
export async function reconcileAccount(
  query: Query,
  request: ReconciliationRequest,
): Promise<AccountReconciliation | undefined> {
  const { fromUs, toUs } = request;
  if (fromUs >= toUs) throw new ReadFault('BAD_INPUT', '`from` must be before `to`.');
  if (toUs - fromUs > LONGEST_RECONCILIATION_US)
    throw new ReadFault('TOO_EXPENSIVE', 'A reconciliation can have at most 31 days.');
  const settledUs = request.nowUs - SETTLED_US;
  const steps = await readSteps(query, { ...request, toUs: toUs < settledUs ? toUs : settledUs });
  const [opening, closing] = [steps[0], steps.at(-1)];
  if (!opening || !closing || closing.daHeight <= opening.daHeight) return undefined;
  const { nowUs, knownAt } = request;
  const rises = steps.flatMap(({ amount, daHeight, before, heightBefore }): Rise[] =>
    before === null || heightBefore === null || amount <= before
      ? []
      : [{ afterHeight: heightBefore, toHeight: daHeight, change: amount - before }],
  );
  const made = new Reconciliation(opening, closing, rises);
  const payers = await findPayers(query, request.account, [opening.observedAt, closing.observedAt], knownAt);
  const paying = payers.filter(({ pays }) => pays);
  const chains = [...new Set(paying.flatMap(({ chain }) => chain ?? []))];
  const range = { fromUs: opening.observedAt - MARGIN_US, toUs: closing.observedAt + MARGIN_US };
  for (const chain of chains) {
    const owner = await findChainOwner(toSource(query), chain);
    if (owner) await requireFewRows(query, { ...owner, ...range, nowUs, knownAt });
  }
  const payerOf = new Map(payers.map((payer) => [payer.nodeKey, payer]));
  const books = await loadPriceBooks(query, { knownAt });
  const units = chains.map((chain) => ({ nodeKey: 0, chain, ...range }));
  const ofNode = (nodeKey: number | null) => (nodeKey === null ? undefined : payerOf.get(nodeKey));
  const isOfOthers = (payer: Payer | undefined): boolean => payer?.others === true && !payer.pays;
  const onFailed = ({ nodeKey, fee, timeAt }: CostLine): void => {
    if (timeAt < opening.observedAt || timeAt > closing.observedAt || isOfOthers(ofNode(nodeKey))) return;
    made.addFailed(fee);
  };
  await readCostLines(query, units, { books, knownAt, onFailed }, ({ nodeKey, chain, daHeight, fee }) => {
    const payer = ofNode(nodeKey);
    if (daHeight === null || isOfOthers(payer)) return;
    made.add({ chain, daHeight, fee, isOurs: payer?.pays === true && !payer.others });
  });
  const isComplete =
    paying.length > 0 &&
    paying.every(({ chain }) => chain !== null) &&
    (await sawAll(query, request, chains, [opening.observedAt, closing.observedAt]));
  return { opening, closing, isComplete, ...made.finish(isComplete) };
}

/**
 * The first and the last balance of the time, and those that rose. A balance below an earlier DA height is left out: it is of
 * a DA node that lags, or of a DA chain that began again.
 * @throws ReadFault TOO_EXPENSIVE for too many rises
 */
async function readSteps(
  query: Query,
  { account, fromUs, toUs, knownAt }: ReconciliationRequest,
): Promise<BalanceStep[]> {
  const placed = (condition: string): string =>
    `balance b WHERE b.account = $1::text AND b.amount IS NOT NULL AND b.da_height IS NOT NULL
       AND ($3::bigint IS NULL OR b.from_position <= $3) AND ${condition}`;
  const [from, to] = ['($2::timestamptz[])[1]', '($2::timestamptz[])[2]'];
  const steps = await query<BalanceStep<string>>(
    `WITH opening AS (
       SELECT coalesce((SELECT max(b.observed_at) FROM ${placed(`b.observed_at <= ${from} AND b.observed_at > ${from} - interval '2 hours'`)}),
                       ${from}) AS at),
     rising AS (
       SELECT b.observed_at, b.from_position, b.amount, b.da_height,
              max(b.da_height) OVER (ORDER BY b.observed_at, b.from_position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest
         FROM opening, ${placed(`b.observed_at >= opening.at AND b.observed_at < ${to}`)}),
     step AS (
       SELECT da_height AS "daHeight", amount, observed_at AS "observedAt", lag(amount) OVER w AS before,
              lag(da_height) OVER w AS "heightBefore", lead(da_height) OVER w IS NULL AS is_last
         FROM rising WHERE highest IS NULL OR da_height > highest WINDOW w AS (ORDER BY da_height))
     SELECT "daHeight", amount, "observedAt", before, "heightBefore" FROM step
      WHERE before IS NULL OR is_last OR amount > before ORDER BY "daHeight" LIMIT ${MOST_RISES + 1}`,
    [account, timesParameter([fromUs, toUs]), knownAt ?? null],
  );
  if (steps.length > MOST_RISES)
    throw new ReadFault(
      'TOO_EXPENSIVE',
      `The balance rose more than ${MOST_RISES} times: request a shorter time.`,
    );
  return steps.map(({ amount, before, ...rest }) => ({
    ...rest,
    amount: BigInt(amount),
    before: before === null ? null : BigInt(before),
  }));
}

/** Whether all lists of these chains were covered between the two times, and everything is read and decided. */
async function sawAll(
  query: Query,
  { nowUs, knownAt }: ReconciliationRequest,
  chains: readonly string[],
  [fromUs, toUs]: readonly [Micros, Micros],
): Promise<boolean> {
  for (const chain of chains) if (!(await isDecidedTo(query, { toUs, chain, knownAt }))) return false;
  const shares = await getCoverageOf(query, { fromUs, toUs, nowUs, knownAt }, { chains, by: 'CHAIN' });
  return chains.every((chain) => shares.get(chain) === 1);
}
