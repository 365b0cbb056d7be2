import { toPrintable } from '../../domain/printable-text.js';
import type { SubmissionQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { bytes, inWords, moment, money, sentence } from '../data/words.js';
import { Exactly } from './exactly.js';
import { Facts, type Fact } from './facts.js';
import { StateBadge } from './state-badge.js';

type Submission = NonNullable<SubmissionQuery['submission']>;

const BASIS = {
  IMPORTED: 'read from the DA layer and imported',
  RECORDED: 'computed from the sizes of the blobs and the gas price that the node reported',
  PRICED: 'computed from the sizes of the blobs and the gas price of the price book',
} as const;

/** The facts of a submission, in cards: what it is, what it carried, what it cost, and the state of its node then. */
export function SubmissionFacts({
  submission,
  zone,
}: {
  readonly submission: Submission;
  readonly zone: string;
}) {
  return (
    <div class="cards">
      <Facts title="Submission" facts={identity(submission, zone)} />
      <Facts title="Contents" facts={load(submission)} />
      <Facts title="Cost" facts={costs(submission)} />
      <Facts title="Node at that time" facts={surroundings(submission, zone)} />
    </div>
  );
}

function identity(submission: Submission, zone: string): Fact[] {
  const { chain, nodeId, sequence, ring, time, occurredAtText, observedAt, updatedAt, statusText } =
    submission;
  return [
    ['Time', moment(time, zone)],
    ['Time as sent', occurredAtText === null ? 'none' : <bdi>{toPrintable(occurredAtText)}</bdi>],
    ['First seen', moment(observedAt, zone)],
    ['Last updated', updatedAt === null ? undefined : moment(updatedAt, zone)],
    ['Chain', chain === null ? 'not reported yet' : <Named kind="chain" id={chain} />],
    ['Node', nodeId === null ? 'none: it belongs to the chain' : <Named kind="node" id={nodeId} />],
    ['Number in the list of its node', sequence ?? 'none'],
    ['The list had been emptied at least', ring === null ? undefined : `${ring} times`],
    ['Status as sent', statusText === null ? 'none' : <bdi>{toPrintable(statusText)}</bdi>],
  ];
}

function load({ chain, daHeight, kind, namespace, blobCount, sizeBytes, blocks }: Submission): Fact[] {
  return [
    ['DA height', daHeight ?? 'none'],
    ['Kind', inWords(kind)],
    ['Namespace', namespace ?? 'not known'],
    ['Blobs', blobCount ?? 'unknown'],
    [
      'Bytes',
      sizeBytes === null ? (
        'unknown'
      ) : (
        <Exactly short={bytes(Number(sizeBytes))} exact={`${sizeBytes} bytes`} />
      ),
    ],
    [
      'Blocks',
      blocks.length === 0 ? (
        'none known'
      ) : (
        <span class="list">
          {blocks.map((height) =>
            chain === null ? (
              height
            ) : (
              <a key={height} href={linkTo(['block', chain, height])}>
                {height}
              </a>
            ),
          )}
        </span>
      ),
    ],
  ];
}

function costs({ cost, gasPrice }: Submission): Fact[] {
  const price: Fact = [
    'Gas price that the node reported',
    gasPrice === null ? 'unknown' : `${gasPrice} utia`,
  ];
  if (cost === null) return [['Fee', 'none: it failed and did not land'], price];
  const { feeMin, feeMax, gasMin, gasMax, feeBasis } = cost;
  const bounds = (low: string | null, high: string | null, unit: string): string => {
    if (low === null && high === null) return 'unknown';
    if (low === high) return `${low} ${unit}, exact`;
    return `${low === null ? 'unknown' : `at least ${low}`}, ${high === null ? 'no upper bound' : `at most ${high}`} ${unit}`;
  };
  return [
    ['Fee', <Exactly short={money(cost)} exact={bounds(feeMin, feeMax, 'utia')} />],
    ['Bounds', bounds(feeMin, feeMax, 'utia')],
    ['Gas', bounds(gasMin, gasMax, 'units')],
    ['Basis', feeBasis === null ? 'unknown' : BASIS[feeBasis]],
    price,
  ];
}

function surroundings({ healthThen, claimThen }: Submission, zone: string): Fact[] {
  return [
    [
      'DA health',
      healthThen === null ? (
        'not known'
      ) : (
        <>
          <StateBadge name="DA" state={healthThen.state} /> <bdi>{sentence(healthThen.reason, zone)}</bdi>
        </>
      ),
    ],
    ['Rule', healthThen?.rule],
    [
      'Claim of the node',
      claimThen === null ? (
        'unknown'
      ) : (
        <>
          “<bdi>{toPrintable(claimThen.status ?? 'no status')}</bdi>” since{' '}
          {moment(claimThen.observedAt, zone)}
        </>
      ),
    ],
  ];
}

/** A node or a chain by its id, with a link to its page. */
export function Named({ kind, id }: { readonly kind: 'node' | 'chain'; readonly id: string }) {
  return (
    <a href={linkTo([kind, id])}>
      <bdi>{toPrintable(id)}</bdi>
    </a>
  );
}
