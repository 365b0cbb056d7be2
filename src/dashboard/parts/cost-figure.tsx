import { quoteForShell, toPrintable } from '../../domain/printable-text.js';
import type { CostAnswer } from '../data/use-cost.js';
import { feeChangeOf, forecastOf, inUtia, usedInWords, usedOf, type Budget } from '../data/bill.js';
import { bucketName, isRunningAt, PERIODS, type CostChoice } from '../data/period.js';
import { count, money, share, tia } from '../data/words.js';
import { Command } from './copy-button.js';
import { Exactly } from './exactly.js';
import { Tiles, type Fact } from './facts.js';

/** A chain's bill in the chosen period, for the parts of the cost page. */
export interface CostShown {
  readonly answer: CostAnswer;
  readonly chain: string;
  readonly choice: CostChoice;
  /** Budgets for a period of this size. */
  readonly budgets: readonly Budget[];
  readonly zone: string;
  /** The present of the page; ms since 1970. */
  readonly presentMs: number;
}

/** The fees of the period as one figure, with its change, forecast and budgets, and what is missing to know them. */
export function CostFigure(given: CostShown) {
  const { answer, chain, choice, presentMs } = given;
  const { shown } = choice;
  const total = answer.total[0];
  const isRunning = isRunningAt(shown, presentMs);
  const hasRecord = total !== undefined && total.submissionsFloat !== null;
  return (
    <section class="card bill" aria-label={`Fees of ${shown.name}`}>
      <div>
        <p class="quiet">
          {shown.name}
          {isRunning && ' so far'}
        </p>
        <p class="figure">
          {hasRecord ? (
            <Exactly short={tia(total.feeMinFloat, total.feeMaxFloat)} exact={inUtia(total)} />
          ) : (
            'unknown'
          )}
        </p>
        <p class="quiet">
          {hasRecord
            ? `${total.fiatUnit === null ? '' : `${money(total)} · `}${count(total.submissionsFloat)} submissions`
            : shown.fromMs >= presentMs
              ? 'This period has not begun.'
              : 'Nothing is recorded of this time.'}
          {total && !total.counted && ' · the newest are still being counted'}
        </p>
      </div>
      {hasRecord && (
        <Tiles
          facts={[changeFact(given), ...forecastFact(given), ...budgetFacts(given), ...coveredFact(given)]}
        />
      )}
      {hasRecord && total.unknownShare > 0 && <MissingPrice total={total} chain={chain} answer={answer} />}
    </section>
  );
}

/** A figure with a smaller line below it. */
const noted = (figure: string, note: string) => (
  <>
    {figure}
    <small>{note}</small>
  </>
);

function changeFact({ answer, choice, zone, presentMs }: CostShown): Fact {
  const [total, before] = [answer.total[0], answer.other[0]];
  const { shown, other } = choice;
  const point = isRunningAt(shown, presentMs) ? ' to the same point' : '';
  const first = answer.otherRows.find(({ submissionsFloat }) => submissionsFloat !== null);
  const began = first === undefined ? other.fromMs : Date.parse(first.time);
  const since =
    began > other.fromMs ? `; recorded only from ${bucketName(began, PERIODS[other.size], zone)}` : '';
  const isRecorded = before !== undefined && before.submissionsFloat !== null;
  return [
    `vs ${other.name}${point}`,
    noted(
      isRecorded && total ? feeChangeOf(before, total) : 'unknown',
      isRecorded
        ? `${tia(before.feeMinFloat, before.feeMaxFloat)}${since}${coveredPart(before.coverage)}`
        : 'not recorded',
    ),
  ];
}

/** A period that is covered less than this has a cost that is too low to be compared. */
const COMPARABLE = 0.99;

function coveredPart(coverage: number): string {
  return coverage < COMPARABLE ? `; only ${share(coverage)} covered` : '';
}

function forecastFact({ answer, choice, presentMs }: CostShown): Fact[] {
  const total = answer.total[0];
  const forecast = total && forecastOf(choice.shown, total, answer.rows, presentMs);
  if (forecast === undefined) return [];
  const name = `Forecast for ${choice.shown.name}`;
  if ('none' in forecast) return [[name, noted('none', forecast.none)]];
  const { utia, bounds, how } = forecast;
  return [[name, noted(tia(utia, utia), bounds === undefined ? how : `${tia(...bounds)} ${how}`)]];
}

function budgetFacts({ answer, budgets }: CostShown): Fact[] {
  const total = answer.total[0];
  if (total === undefined) return [];
  return budgets.map((budget): Fact => {
    const used = usedOf(budget, total);
    const name = `Budget ${toPrintable(budget.rule, 60)}`;
    const level = used[1] ?? used[0];
    return [
      name,
      <>
        {usedInWords(used)}
        <small>
          of {count(budget.amountFloat)} {toPrintable(budget.unit, 10)}
        </small>
        {level !== null && (
          <progress aria-label={name} value={Math.min(1, level)} class={level >= 1 ? 'CRITICAL' : ''} />
        )}
      </>,
    ];
  });
}

function coveredFact({ answer, choice, presentMs }: CostShown): Fact[] {
  const total = answer.total[0];
  if (total === undefined) return [];
  const isRunning = isRunningAt(choice.shown, presentMs);
  return [['Covered', noted(share(total.coverage), isRunning ? 'of the time so far' : 'of the time')]];
}

/** Says why fees are unknown, with the command that sets their price. */
function MissingPrice(given: {
  readonly total: CostAnswer['total'][number];
  readonly chain: string;
  readonly answer: CostAnswer;
}) {
  const { total, chain, answer } = given;
  const hasPrice = answer.priceBook.some(
    ({ subject, replacedAt }) => subject === 'GAS_PRICE' && replacedAt === null,
  );
  return (
    <div class="next">
      <p>
        <strong>The fees of {share(total.unknownShare)} of the submissions are unknown.</strong>{' '}
        {hasPrice
          ? 'The price book has no price for their time, or the size of their blobs is unknown. Set the price of that time, or import the fees that were paid:'
          : 'No gas price is set. Set the price that the chain pays, in utia per gas; all fees are then computed again:'}
      </p>
      <Command
        text={`hindsight prices set --chain ${quoteForShell(chain)} --from beginning --gas-price 0.004`}
      />
      {hasPrice && <Command text={`hindsight import fees FILE.csv --chain ${quoteForShell(chain)}`} />}
    </div>
  );
}
