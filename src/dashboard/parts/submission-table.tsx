import type { ComponentChildren } from 'preact';
import { toPrintable } from '../../domain/printable-text.js';
import type { SubmissionRowFragment, SubmissionStatus } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { linkTo } from '../data/view.js';
import { count, inWords, moment, money, shortNamespace } from '../data/words.js';
import { Ago } from './ago.js';
import { Exactly, Size } from './exactly.js';
import { Named } from './named.js';
import { boundsInWords } from './submission-facts.js';
import { StatusBadge } from './submission-words.js';
import { Table, type Column } from './table.js';

/** Limit in a table: the page of the submission has the whole message. */
const LONGEST_MESSAGE = 160;
/** Statuses whose names say the cause. */
const NAMES_CAUSE: ReadonlySet<SubmissionStatus> = new Set([
  'ALREADY_IN_MEMPOOL',
  'INCORRECT_ACCOUNT_SEQUENCE',
  'NOT_INCLUDED_IN_BLOCK',
  'TOO_BIG',
]);
const DAY_MS = 86_400_000;

/** Submissions as a table, each with a link to its page. On a phone, the values of a row follow each other. */
export function SubmissionTable(given: {
  readonly title: string;
  /** Its name among the regions of the page; the title when left out. */
  readonly name?: string;
  readonly rows: readonly SubmissionRowFragment[];
  /** All rows belong to one node or chain, which is not repeated in each row. */
  readonly of?: 'node' | 'chain' | undefined;
  /** Whether messages are shown in addition to causes. */
  readonly showsMessages?: boolean;
  readonly none: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { title, name = title, rows, of, showsMessages = false, none, actions, children } = given;
  return (
    <div class="flows">
      <Table
        stacks
        title={title}
        name={name}
        actions={actions}
        none={none}
        rows={rows}
        columns={columnsFor(of, showsMessages)}
      >
        {children}
      </Table>
    </div>
  );
}

function columnsFor(
  of: 'node' | 'chain' | undefined,
  showsMessages: boolean,
): (Column<SubmissionRowFragment> | false)[] {
  return [
    {
      name: 'Time',
      cell: ({ id, time }) => (
        <a href={linkTo(['submission', id])}>
          <RowTime at={time} />
        </a>
      ),
    },
    of !== 'node' && { name: of === 'chain' ? 'Node' : 'Node and chain', cell: (row) => place(row, of) },
    { name: 'Status', cell: (row) => outcome(row, showsMessages) },
    { name: 'Kind', cell: ({ kind }) => inWords(kind) },
    { name: 'Evidence', cell: ({ evidence }) => inWords(evidence) },
    { name: 'Blobs', isNumber: true, cell: ({ blobCount }) => count(blobCount) },
    { name: 'Bytes', isNumber: true, cell: ({ sizeBytesFloat }) => <Size of={sizeBytesFloat} /> },
    { name: 'Fee', isNumber: true, cell: ({ cost }) => cost && feeOf(cost) },
    { name: 'DA height', isNumber: true, cell: ({ daHeight }) => daHeight },
    { name: 'Namespace', cell: ({ namespace }) => namespaceOf(namespace) },
  ];
}

/** A time in a long list: relative up to a day; later, distances say less than dates. */
export function RowTime({ at }: { readonly at: string }) {
  return nowMs() - Date.parse(at) < DAY_MS ? <Ago at={at} /> : <>{moment(at)}</>;
}

function place({ nodeId, chain }: SubmissionRowFragment, of: 'chain' | undefined): ComponentChildren {
  return (
    <span>
      {nodeId === null ? 'no node' : <Named kind="node" id={nodeId} />}{' '}
      {of === undefined && <bdi class="quiet">{toPrintable(chain ?? 'chain unknown')}</bdi>}
    </span>
  );
}

function outcome(
  { status, cause, message }: SubmissionRowFragment,
  showsMessage: boolean,
): ComponentChildren {
  if (cause === null || (NAMES_CAUSE.has(status) && !showsMessage))
    return <StatusBadge status={status} title={cause?.title} />;
  const text = message === null ? undefined : toPrintable(message, LONGEST_MESSAGE);
  return (
    <span class="outcome">
      <StatusBadge status={status} />
      <span title={text}>
        {cause.title} {showsMessage && <bdi class="quiet">{text}</bdi>}
      </span>
    </span>
  );
}

function feeOf(cost: NonNullable<SubmissionRowFragment['cost']>): ComponentChildren {
  return <Exactly short={money(cost)} exact={boundsInWords(cost.feeMin, cost.feeMax, 'utia')} />;
}

function namespaceOf(namespace: string | null): ComponentChildren {
  if (namespace === null) return 'unknown';
  return (
    <code>
      <Exactly short={shortNamespace(namespace)} exact={toPrintable(namespace, 100)} />
    </code>
  );
}
