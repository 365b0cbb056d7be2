import { Option, type Command } from 'commander';
import { judgeNode, type CheckedRow } from '../conformance/conformance.js';
import { askNode, objectOf, type NodeAnswers } from '../conformance/node-answers.js';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import { redactUrl } from '../platform/redact.js';
import { painter } from '../platform/paint.js';
import { requireUrl } from './require-url.js';
import { catchStopSignals } from './stop-signals.js';
import { warnOfOldNode } from './warn-of-old-node.js';
import { printTable, type Column } from '../platform/table.js';

interface ConformanceOptions {
  readonly status?: string;
  readonly service?: string;
  readonly shape?: string;
}

const VERDICTS: Record<CheckedRow['verdict'], string> = {
  AS_SPECIFIED: 'as specified',
  OTHERWISE: 'otherwise',
  MISSING: 'missing',
  NOT_SEEN: 'not seen',
};

const COLUMNS: readonly Column<CheckedRow>[] = [
  { title: 'section', read: ({ section }) => section },
  { title: 'what', read: ({ row }) => row },
  { title: 'verdict', read: ({ verdict }) => VERDICTS[verdict] },
  { title: 'found', read: ({ found }) => found },
  { title: 'use in Hindsight', read: ({ use }) => use },
];

export function define(command: Command): void {
  command
    .description('compare a node with the specification of its interface, row by row; writes nothing')
    .argument('<url>', "the node's RPC server, like http://localhost:7331")
    .option('--status <url>', 'its status endpoint, like http://localhost:26657')
    .option('--service <prefix>', 'the prefix of its block service, like node.v1; default: detected')
    .addOption(
      new Option('--shape <shape>', 'if the URL is a Hindsight: the shape to request from it').choices([
        'spec',
        'ev-node',
      ]),
    )
    .action(hold);
}

async function hold(url: string, { status, service, shape }: ConformanceOptions): Promise<void> {
  requireUrl(url);
  if (status !== undefined) requireUrl(status);
  warnOfOldNode();
  const stop = catchStopSignals();
  const http = new HttpClient();
  try {
    const answers = await askNode(http, { url, statusUrl: status, service, shape }, stop.signal);
    stop.signal.throwIfAborted();
    requireAnswer(url, answers);
    requireNode(url, answers);
    process.stdout.write(printJudgement(judgeNode(answers)));
  } finally {
    await http.close();
    stop.release();
  }
}

function printJudgement(rows: readonly CheckedRow[]): string {
  const counts = Object.entries(VERDICTS).map(([verdict, words]) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return `${count} ${words}`;
  });
  return `${printTable(COLUMNS, rows, { paint: painter() })}\n${rows.length} rows: ${counts.join(', ')}.\n`;
}

function requireAnswer(url: string, { block, live, submissions }: NodeAnswers): void {
  const [first] = [block, live, submissions].filter((answer) => answer.kind === 'response');
  if (first) return;
  const detail = live.kind === 'failure' ? live.detail : '';
  throw new UserError(
    `${redactUrl(url)} cannot be reached: ${detail}.`,
    'Check that the node runs and that its rpc.address (port 7331 by default) is the address that you gave.',
  );
}

/** At its root, Hindsight answers only for the default node, but it always answers the liveness probe. */
function requireNode(url: string, { live, service, submissions }: NodeAnswers): void {
  const isOurs = objectOf(live)?.['live'] === true;
  if (!isOurs || service !== null || submissions.kind === 'failure' || submissions.status !== 404) return;
  throw new UserError(
    `${redactUrl(url)} is Hindsight itself, and answers for no node at this address.`,
    `Use ${redactUrl(url).replace(/\/+$/, '')}/nodes/ID for the node of that id, or start Hindsight with --default-node ID.`,
  );
}
