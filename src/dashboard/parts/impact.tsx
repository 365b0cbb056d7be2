import { Box } from 'lucide';
import IMPACT from '../data/impact.graphql?raw';
import type { ImpactQuery, ImpactQueryVariables, IncidentRowFragment } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { count, share, tia } from '../data/words.js';
import { Facts, Tiles, type Fact } from './facts.js';
import { Icon } from './icon.js';
import { lengthInWords } from './incident-table.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';

/** The query reads single rows, so it is repeated less often than others; ms. */
const EVERY_MS = 300_000;
const MOST_CAUSES = 5;

type Report = NonNullable<ImpactQuery['incident']>['impact'];
type Waits = NonNullable<Report['waits']>;

/** The consequences of an incident: of its node, or of the chain if it affects several nodes. */
export interface ImpactAnswer {
  readonly report: Report;
  /** The address of the first block that waited, and its height; undefined if none waited. */
  readonly firstWaiting: { readonly height: string; readonly href: string } | undefined;
}

/** Queries the consequences of an incident. Undefined until they are known. */
export function useImpact(incident: IncidentRowFragment, view: View): ImpactAnswer | undefined {
  const past = momentOf(view);
  // Blocks that waited then may be included by now.
  const knownThen = past.knownAt ?? past.asOf ?? incident.lastSignAt ?? incident.to;
  const variables = (): ImpactQueryVariables => ({
    ...past,
    id: incident.id,
    nodes: nodeIdsOf(incident),
    knownThen,
  });
  const key = JSON.stringify([incident.id, incident.to, past]);
  const { answer } = useAnswer<ImpactQuery>([IMPACT, key, variables], { everyMs: EVERY_MS });
  const report = answer?.incident?.impact;
  if (report === undefined) return undefined;
  const block = answer?.waiting.nodes[0];
  const known: Record<string, string> = knownThen === null ? {} : { knownAt: knownThen };
  return {
    report,
    firstWaiting: block && {
      height: block.height,
      href: linkTo(['block', block.chainId, block.height], known),
    },
  };
}

/** The figures that people look for first, and the first block that waited. */
export function ImpactTiles({ impact }: { readonly impact: ImpactAnswer }) {
  const { report, firstWaiting } = impact;
  return (
    <>
      <FirstTiles report={report} />
      {firstWaiting && (
        <nav class="tools" aria-label="Impact">
          <a class="button" href={firstWaiting.href}>
            <Icon of={Box} />
            First block waiting: {firstWaiting.height}
          </a>
        </nav>
      )}
    </>
  );
}

function FirstTiles({ report }: { readonly report: Report }) {
  const { waits, attemptsFloat, failuresFloat } = report;
  return (
    <Tiles
      facts={[
        ['Longest without success', lengthInWords(report.longestWithoutSuccessMsFloat)],
        ['Failed attempts', `${count(failuresFloat)} of ${count(attemptsFloat)}`],
        ['Blocks delayed', waits ? delayed(waits, waits.delayedFloat) : undefined],
        ['Blocks still waiting', waits ? count(waits.stillWaitingFloat) : undefined],
        ['Longest wait', waits ? waited(waits, waits.maxMs) : undefined],
        ['Transactions delayed', waits ? delayed(waits, waits.transactionsDelayedFloat) : undefined],
        ['Submissions missing', missing(report)],
        ['Fees of failed attempts', feesOfFailed(report)],
      ]}
    />
  );
}

export function ImpactFacts({ report }: { readonly report: Report }) {
  return (
    <>
      <Facts title="Submissions" facts={submissionFacts(report)} />
      <Facts title="Blocks, until inclusion" facts={blockFacts(report)} />
      <Facts title="Record and cost" facts={recordFacts(report)} />
    </>
  );
}

function submissionFacts(report: Report): Fact[] {
  return [
    ['Attempts', count(report.attemptsFloat)],
    ['Successes', count(report.successesFloat)],
    ['Failures', count(report.failuresFloat)],
    ...report.causes
      .slice(0, MOST_CAUSES)
      .map(({ cause, countFloat }): Fact => [cause.title.replace(/\.$/, ''), count(countFloat)]),
  ];
}

const least = (value: string, isBound: unknown): string => (isBound ? `at least ${value}` : value);

/** A number of delayed blocks or transactions: a lower bound while the inclusion of some blocks is unknown. */
function delayed({ unknownFloat }: Waits, value: number | null): string {
  return least(count(value), value !== null && unknownFloat);
}

/** A length of waiting: a lower bound while blocks wait. */
function waited({ stillWaitingFloat, unknownFloat }: Waits, ms: number | null): string {
  return least(lengthInWords(ms), ms !== null && (stillWaitingFloat || unknownFloat));
}

function blockFacts({ blocks, waits }: Report): Fact[] {
  if (waits === null) return [['Produced', 'none recorded']];
  return [
    ['Produced', blocks === null ? 'none recorded' : count(blocks.producedFloat)],
    ['Included since', blocks === null ? 'none recorded' : count(blocks.includedFloat)],
    ['Peak backlog, at least', count(waits.mostWaitingFloat)],
    ['p95 wait', waited(waits, waits.p95Ms)],
    ['Transactions still waiting', count(waits.transactionsStillWaitingFloat)],
    ['Time of inclusion unknown', waits.unknownFloat === 0 ? undefined : count(waits.unknownFloat)],
  ];
}

function missing({ lostMin, lostMax }: Report): string {
  if (lostMax === null) return lostMin === '0' ? 'unknown' : `at least ${lostMin}`;
  return lostMin === lostMax ? lostMin : `${lostMin} to ${lostMax}`;
}

/** The cost of failed attempts, if the DA layer charged for them. */
function feesOfFailed({ failedFeeMaxFloat }: Report): string {
  return tia(failedFeeMaxFloat === 0 ? 0 : null, failedFeeMaxFloat);
}

function recordFacts(report: Report): Fact[] {
  return [
    ['Coverage', share(report.coverage)],
    ['Gaps in the record', count(report.holesFloat)],
    ['Fees', tia(report.feeMinFloat, report.feeMaxFloat)],
    ['Failed attempts, not landed', count(report.failedAttemptsFloat)],
  ];
}
