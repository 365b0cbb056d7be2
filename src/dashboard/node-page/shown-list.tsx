import { useState } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import type { View } from '../data/view.js';
import { bytes, count, decimal, moment } from '../data/words.js';
import { StateBadge } from '../parts/state-badge.js';
import { Table } from '../parts/table.js';
import { numberOf, pick, restUrl, textOf, type RestAnswer, type Sent } from './rest.js';

const SHOWN_ID_DIGITS = 8;
const BLOBS_SHOWN = 3;
const LONGEST_MESSAGE = 300;

/** A node's list of submissions, and its namespaces as it reported them, without 0x. */
export interface SubmissionListAnswer {
  readonly submissions: readonly Sent[];
  readonly message?: string;
  readonly namespaces: Readonly<Partial<Record<'header' | 'data', string>>>;
}

/** A namespace in hex without 0x. */
export const bare = (namespace: string): string => namespace.replace(/^0x/i, '').toLowerCase();

type ShowBlob = (query: Readonly<Record<string, string>>) => void;

/** The rows as the node lists them, or as they were recorded if it lists none. */
export function SubmissionList(given: {
  readonly answer: RestAnswer<SubmissionListAnswer>;
  readonly view: View;
  readonly onBlob: ShowBlob;
}) {
  const { answer, view, onBlob } = given;
  const { submissions, namespaces } = answer.body;
  return (
    <Table
      stacks
      title={captionOf(answer)}
      name="Submissions of the node"
      none="No rows."
      rows={submissions}
      columns={[
        { name: 'Status', cell: (row) => <Status row={row} /> },
        { name: 'Time', cell: timeOf },
        { name: 'DA height', isNumber: true, cell: heightOf },
        { name: 'Kind', cell: (row) => kindOf(row, namespaces) },
        { name: 'Blobs', cell: (row) => <Blobs row={row} view={view} onBlob={onBlob} /> },
        { name: 'Size', isNumber: true, cell: (row) => bytes(numberOf(pick(row, 'blob_size', 'blobSize'))) },
        { name: 'Gas price', isNumber: true, cell: priceOf },
        {
          name: 'Message',
          cell: (row) => (
            <bdi class="text">
              {toPrintable(textOf(row, 'message', 'error', 'error_message'), LONGEST_MESSAGE)}
            </bdi>
          ),
        },
      ]}
    />
  );
}

function heightOf(row: Sent): string {
  const height = numberOf(row['height']);
  return height !== null && height > 0 ? count(height) : 'none';
}

function priceOf(row: Sent): string {
  const price = numberOf(row['gas_price']);
  return decimal(price !== null && price > 0 ? price : null);
}

function captionOf({ body, headers, refusal }: RestAnswer<SubmissionListAnswer>): string {
  const { submissions, message } = body;
  if (refusal) return 'The list cannot be read; these rows were recorded earlier.';
  const asOf = headers.get('x-hindsight-as-of');
  return [
    submissions.length === 0
      ? `${toPrintable(message ?? 'No submission yet')}.`
      : `${count(submissions.length)} rows, as the node lists them.`,
    asOf ? `Last change seen ${moment(asOf)}.` : '',
    headers.get('x-hindsight-proven') === 'true'
      ? ''
      : 'Not proven: the node may show other rows at this moment.',
  ]
    .filter(Boolean)
    .join(' ');
}

function Status({ row }: { readonly row: Sent }) {
  const status = textOf(row, 'status_code', 'statusCode', 'status') || 'unknown';
  const state = /^success$/i.test(status) ? 'HEALTHY' : status === 'unknown' ? 'UNKNOWN' : 'CRITICAL';
  return <StateBadge name={toPrintable(status, 60)} state={state} />;
}

/** `unknown` for the zero time. */
function timeOf(row: Sent): string {
  const text = textOf(row, 'timestamp', 'time');
  return Date.parse(text) > 0 ? moment(text) : 'unknown';
}

function kindOf(row: Sent, namespaces: SubmissionListAnswer['namespaces']): string {
  const own = bare(textOf(row, 'namespace'));
  const kinds = (['header', 'data'] as const).filter((kind) => own !== '' && namespaces[kind] === own);
  return kinds.join(' or ') || 'unknown';
}

/** A row can have 30,000 blobs: beyond the first few, links are created when the list is opened. */
function Blobs({
  row,
  view,
  onBlob,
}: {
  readonly row: Sent;
  readonly view: View;
  readonly onBlob: ShowBlob;
}) {
  const [isOpen, setOpen] = useState(false);
  const ids = [pick(row, 'blob_ids', 'blobIds', 'blob_id') ?? []]
    .flat()
    .filter((id): id is string => typeof id === 'string' && id !== '');
  const link = (id: string) => {
    const namespace = row['namespace'];
    const query = { id, ...(typeof namespace === 'string' && namespace && { namespace }) };
    const show = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      onBlob(query);
    };
    return (
      <>
        {' '}
        <a class="blob" href={restUrl(view, 'blob', query)} onClick={show}>
          <code>…{toPrintable(id.slice(-SHOWN_ID_DIGITS))}</code>
        </a>
      </>
    );
  };
  const rest = ids.slice(BLOBS_SHOWN);
  return (
    <>
      {count(numberOf(pick(row, 'num_blobs', 'numBlobs', 'blob_count')) ?? ids.length)}
      {ids.length > 0 && ' ·'}
      {ids.slice(0, BLOBS_SHOWN).map(link)}
      {rest.length > 0 && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{count(rest.length)} more</summary>
          {isOpen && rest.map(link)}
        </details>
      )}
    </>
  );
}
