import IMPACT from '../data/impact.graphql?raw';
import POST_MORTEM from '../data/post-mortem.graphql?raw';
import type {
  ImpactQuery,
  ImpactQueryVariables,
  IncidentRowFragment,
  PostMortemQuery,
} from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { count, share, tia } from '../data/words.js';
import { CopyButton } from './copy-as.js';
import { Facts, type Fact } from './facts.js';
import { lengthInWords } from './incident-table.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { Trouble } from './states.js';

/** The query reads single rows, so it is repeated less often than others; ms. */
const EVERY_MS = 300_000;
const PATIENCE_MS = 60_000;

/**
 * The consequences of an incident, for their chain if it affects several nodes, the first block that waited, and the post-mortem
 * for copying.
 */
export function Impact(given: {
  readonly incident: IncidentRowFragment;
  readonly view: View;
  readonly zone: string;
}) {
  const { incident, view, zone } = given;
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
  const { answer, error, answeredMs, again } = useAnswer<ImpactQuery>(IMPACT, key, variables, EVERY_MS);
  const report = answer?.incident?.impact;
  const waiting = answer?.waiting.nodes[0];
  const postMortem = async (): Promise<string> => {
    const told = await ask<PostMortemQuery>(
      POST_MORTEM,
      { id: incident.id },
      AbortSignal.timeout(PATIENCE_MS),
    );
    return told.postMortem ?? '';
  };
  return (
    <>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      <nav class="tools" aria-label="Further">
        {waiting && (
          <a
            href={linkTo(
              ['block', waiting.chainId, waiting.height],
              knownThen === null ? {} : { knownAt: knownThen },
            )}
          >
            First block waiting: {waiting.height}
          </a>
        )}
        {past.asOf === null && past.knownAt === null && (
          <CopyButton name="Copy the post-mortem as Markdown" text={postMortem} />
        )}
      </nav>
      {report && (
        <div class="cards">
          <Facts title="Submissions" facts={submissionFacts(report)} />
          <Facts title="Blocks, until inclusion" facts={blockFacts(report)} />
          <Facts title="Record and cost" facts={recordFacts(report)} />
        </div>
      )}
    </>
  );
}

type Report = NonNullable<ImpactQuery['incident']>['impact'];

function submissionFacts(report: Report): Fact[] {
  return [
    ['Attempts', count(report.attemptsFloat)],
    ['Successes', count(report.successesFloat)],
    ['Failures', count(report.failuresFloat)],
    ['Longest without a success', lengthInWords(report.longestWithoutSuccessMsFloat)],
    ...report.causes.slice(0, 5).map(({ cause, countFloat }): Fact => [cause.title, count(countFloat)]),
  ];
}

const least = (told: string, isBound: unknown): string => (isBound ? `at least ${told}` : told);

function blockFacts({ blocks, waits }: Report): Fact[] {
  if (waits === null) return [['Produced', 'none recorded']];
  const { stillWaitingFloat, unknownFloat } = waits;
  const length = (ms: number | null): string =>
    least(lengthInWords(ms), ms !== null && (stillWaitingFloat || unknownFloat));
  const delayed = (value: number | null): string => least(count(value), value !== null && unknownFloat);
  return [
    ['Produced', blocks === null ? 'none recorded' : count(blocks.producedFloat)],
    ['Included since', blocks === null ? 'none recorded' : count(blocks.includedFloat)],
    ['Peak backlog, at least', count(waits.mostWaitingFloat)],
    ['Delayed', delayed(waits.delayedFloat)],
    ['Transactions delayed', delayed(waits.transactionsDelayedFloat)],
    ['p95 wait', length(waits.p95Ms)],
    ['Longest wait', length(waits.maxMs)],
    ['Still waiting', count(stillWaitingFloat)],
    ['Transactions still waiting', count(waits.transactionsStillWaitingFloat)],
    ...(unknownFloat === 0 ? [] : [['Time of inclusion unknown', count(unknownFloat)] as Fact]),
  ];
}

function recordFacts(report: Report): Fact[] {
  const { lostMin, lostMax } = report;
  return [
    ['Coverage', share(report.coverage)],
    ['Gaps in the record', count(report.holesFloat)],
    ['Submissions missing', lostMax === null ? `at least ${lostMin}` : `${lostMin} to ${lostMax}`],
    ['Fees', tia(report.feeMinFloat, report.feeMaxFloat)],
    ['Failed attempts', count(report.failedAttemptsFloat)],
    ['Cost of these, if charged', tia(null, report.failedFeeMaxFloat)],
  ];
}
