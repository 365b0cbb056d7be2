import { useState } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import type { CostAnswer } from '../data/use-cost.js';
import { moment } from '../data/words.js';
import { Ago } from './ago.js';
import { Table } from './table.js';

type PriceAnswer = CostAnswer['priceBook'][number];

/** Entries shown at first: the newest ones. */
const FIRST = 6;

/** The price book of a chain with its history: the price from each moment on, its source, and prices that were corrected. */
export function PriceBook(given: {
  readonly answer: CostAnswer;
  /** The present of the page; ms since 1970. */
  readonly presentMs: number;
}) {
  const { answer, presentMs } = given;
  const [isWhole, showWhole] = useState(false);
  const prices = answer.priceBook.toSorted((a, b) => beginOf(b) - beginOf(a));
  const isNow = (price: PriceAnswer): boolean =>
    price === prices.find((each) => each.subject === price.subject && appliesAt(each, presentMs));
  const shown = prices.filter((price, index) => isWhole || index < FIRST || isNow(price));
  return (
    <Table
      stacks
      title="Price book"
      none="No price is set: fees are unknown unless nodes report prices or fees are imported."
      rows={shown}
      columns={[
        {
          name: 'From',
          cell: ({ effectiveFrom }) => (effectiveFrom === null ? 'beginning' : moment(effectiveFrom)),
        },
        {
          name: 'Value',
          cell: (price) => (
            <span>
              {priceOf(price)} {isNow(price) && <strong>now</strong>}
              {price.replacedAt !== null && (
                <span class="quiet">
                  corrected <Ago at={price.replacedAt} />
                </span>
              )}
            </span>
          ),
        },
        {
          name: 'Source',
          cell: ({ source, by, recordedAt }) => (
            <span>
              <bdi>{toPrintable(source)}</bdi>
              <br />
              <small>
                <bdi>{toPrintable(by ?? '')}</bdi> <Ago at={recordedAt} />
              </small>
            </span>
          ),
        },
      ]}
    >
      {prices.length > shown.length && (
        <p>
          <button type="button" onClick={() => showWhole(true)}>
            Show all {prices.length} entries
          </button>
        </p>
      )}
    </Table>
  );
}

function beginOf({ effectiveFrom }: PriceAnswer): number {
  return Date.parse(effectiveFrom ?? '1970-01-01');
}

function appliesAt(price: PriceAnswer, ms: number): boolean {
  return price.replacedAt === null && beginOf(price) <= ms;
}

function priceOf({
  gasPrice,
  fiatPerTia,
  fiatUnit,
  gasPerShareByte,
  gasPerBlob,
  fixedGas,
}: PriceAnswer): string {
  if (gasPrice !== null) return `${gasPrice} utia per gas`;
  if (fiatPerTia !== null) return `${fiatPerTia} ${fiatUnit ?? ''} per TIA`;
  return `gas: ${gasPerShareByte ?? 'unknown'} per byte of a share, ${gasPerBlob ?? 'unknown'} per blob, ${fixedGas ?? 'unknown'} per transaction`;
}
