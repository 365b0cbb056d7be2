import { toPrintable } from '../../domain/printable-text.js';
import type { SubmissionQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { count, inWords, moment, money, sentence } from '../data/words.js';
import { Card } from './card.js';
import { Exactly, ShortId, Size } from './exactly.js';
import { FactList, Facts, type Fact } from './facts.js';
import { Named } from './named.js';
import { StateBadge } from './state-badge.js';

export type SubmissionAnswer = NonNullable<SubmissionQuery['submission']>;

const BASIS = {
  IMPORTED: 'read from the DA layer and imported',
  RECORDED: 'computed from blob sizes and the reported gas price',
  PRICED: 'computed from blob sizes and the price book',
} as const;

/** The facts of a submission, in cards: its times, its contents, its cost, and its node then. */
export function SubmissionFacts({ submission }: { readonly submission: SubmissionAnswer }) {
  return (
    <div class="cards fact-cards">
      <Facts title="Time and status" facts={times(submission)} />
      <Facts title="Contents" facts={contents(submission)} />
      <Facts title="Cost" facts={costs(submission)} />
      <NodeThen submission={submission} />
    </div>
  );
}

function times(submission: SubmissionAnswer): Fact[] {
  const { id, time, occurredAtText, observedAt, updatedAt, statusText } = submission;
  return [
    ['Id', <ShortId name="id" id={id} />],
    ['Time', moment(time)],
    ['Time as sent', occurredAtText === null ? 'none' : <TimeText text={toPrintable(occurredAtText)} />],
    ['First seen', moment(observedAt)],
    ['Updated', updatedAt === null ? undefined : moment(updatedAt)],
    ['Status as sent', statusText === null ? 'none' : <bdi>{toPrintable(statusText)}</bdi>],
  ];
}

/** A time with all its digits, wrapped between date and clock. */
function TimeText({ text }: { readonly text: string }) {
  const at = text.indexOf('T') + 1;
  return (
    <bdi>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </bdi>
  );
}

function contents({
  chain,
  daHeight,
  kind,
  namespace,
  blobCount,
  sizeBytes,
  blocks,
}: SubmissionAnswer): Fact[] {
  return [
    ['Kind', inWords(kind)],
    ['Namespace', namespace === null ? 'unknown' : <ShortId name="namespace" id={namespace} />],
    ['Blobs', count(blobCount)],
    ['Bytes', <Size of={sizeBytes === null ? null : Number(sizeBytes)} />],
    ['DA height', daHeight ?? 'none'],
    ['Blocks', blocks.length === 0 ? 'none known' : <Blocks chain={chain} heights={blocks} />],
  ];
}

function Blocks({ chain, heights }: { readonly chain: string | null; readonly heights: readonly string[] }) {
  return (
    <span class="list">
      {heights.map((height) =>
        chain === null ? (
          height
        ) : (
          <a key={height} href={linkTo(['block', chain, height])}>
            {height}
          </a>
        ),
      )}
    </span>
  );
}

/** Bounds of an amount, exact in its unit. */
export function boundsInWords(low: string | null, high: string | null, unit: string): string {
  if (low === null && high === null) return 'unknown';
  if (low === high) return `${low} ${unit}, exact`;
  return `${low === null ? 'unknown' : `at least ${low}`}, ${high === null ? 'no upper bound' : `at most ${high}`} ${unit}`;
}

function costs({ cost, gasPrice }: SubmissionAnswer): Fact[] {
  const price: Fact = ['Reported gas price', gasPrice === null ? 'unknown' : `${gasPrice} utia`];
  if (cost === null) return [['Fee', 'none: failed, not posted'], price];
  const { feeMin, feeMax, gasMin, gasMax, feeBasis } = cost;
  const bounds = boundsInWords(feeMin, feeMax, 'utia');
  return [
    ['Fee', <Exactly short={money(cost)} exact={bounds} />],
    ['Bounds', bounds],
    ['Gas', boundsInWords(gasMin, gasMax, 'units')],
    ['Basis', feeBasis === null ? 'unknown' : BASIS[feeBasis]],
    price,
  ];
}

function NodeThen({ submission }: { readonly submission: SubmissionAnswer }) {
  const { chain, nodeId, sequence, ring, healthThen, claimThen } = submission;
  return (
    <Card
      title="Node at that time"
      actions={
        healthThen && <StateBadge name={`DA ${healthThen.state.toLowerCase()}`} state={healthThen.state} />
      }
    >
      {healthThen && (
        <p>
          <bdi>{sentence(healthThen.reason)}</bdi>
        </p>
      )}
      <FactList
        facts={[
          ['Node', nodeId === null ? 'none: proven by blocks' : <Named kind="node" id={nodeId} />],
          ['Chain', chain === null ? 'unknown' : <Named kind="chain" id={chain} />],
          ['Number in its list', sequence ?? 'none'],
          // Zero is the lower bound of an ordinary list.
          ['List emptied before', ring === null || ring === 0 ? undefined : `at least ${ring} times`],
          ['DA health', healthThen === null ? 'unknown' : undefined],
          ['Reported health', claimThen === null ? 'unknown' : <Claim claim={claimThen} />],
        ]}
      />
    </Card>
  );
}

function Claim(given: { readonly claim: NonNullable<SubmissionAnswer['claimThen']> }) {
  const { claim } = given;
  return (
    <span title={`since ${moment(claim.observedAt)}`}>
      <bdi>{toPrintable(claim.status ?? 'no status')}</bdi>
    </span>
  );
}
