import { describeHealth, describeStats, NOT_AGGREGATOR } from '../domain/node-interface/da-claims.js';
import { toNamespace } from '../domain/node-interface/namespace.js';
import {
  errorText,
  jsonAnswer,
  PAGE_NOT_FOUND,
  type DevnodeAnswer,
  type NodeRequest,
} from './http-server.js';
import { formatNanoseconds } from '../domain/node-interface/go-time.js';
import { toNanoseconds } from './node-time.js';
import type { NodeView } from './node-view.js';

const PREVIEW_BYTES = 200;

/** Answers `/da` and what is under it, whatever the method. */
export async function answerDa(view: NodeView, request: NodeRequest): Promise<DevnodeAnswer> {
  if (view.daMonitoring === 'absent') return PAGE_NOT_FOUND;
  if (view.daMonitoring === 'disabled') return errorText(503, 'DA visualization not available');
  switch (request.path) {
    case '/da':
      return { status: 200, type: 'text/html', body: describePage(view) };
    case '/da/submissions':
      return goJson(describeSubmissions(view));
    case '/da/stats':
      return goJson(
        view.isAggregator ? describeStats(view.ring.list()) : { ...NOT_AGGREGATOR, total_submissions: 0 },
      );
    case '/da/health':
      return goJson(describeHealthOf(view));
    case '/da/blob':
      return answerBlob(view, request.query);
    default:
      return PAGE_NOT_FOUND;
  }
}

/** Go's encoder ends each value with a line feed. */
function goJson(value: object): DevnodeAnswer {
  return jsonAnswer(value, 200, '\n');
}

function describeSubmissions(view: NodeView): object {
  const submissions = view.ring.list();
  return view.isAggregator
    ? { submissions, total: submissions.length }
    : { ...NOT_AGGREGATOR, submissions: [], total: 0 };
}

function describeHealthOf(view: NodeView): object {
  const nowMs = view.clock.now();
  const timestamp = formatNanoseconds(toNanoseconds(nowMs, 'health', nowMs));
  return view.isAggregator
    ? describeHealth(view.ring.list(), nowMs, timestamp)
    : { connection_status: 'n/a', ...NOT_AGGREGATOR, status: 'n/a', timestamp };
}

/** Without a namespace only blobs whose row is still in the ring are found: the row has the namespace. */
async function answerBlob(view: NodeView, query: URLSearchParams): Promise<DevnodeAnswer> {
  const id = query.get('id') ?? '';
  if (id === '') return errorText(400, 'Missing blob ID parameter');
  if (!/^([0-9a-f]{2})+$/i.test(id)) return errorText(400, 'Invalid blob ID format');
  const given = query.get('namespace');
  const namespace = given ? toNamespace(given) : view.ring.findNamespace(id.toLowerCase());
  if (namespace === undefined) {
    return errorText(
      400,
      'Namespace required to retrieve blob (not found in recent submissions and not provided in query)',
    );
  }
  const content = await view.blobs.findBlob(id.toLowerCase(), namespace);
  if (!content) return errorText(500, 'Failed to retrieve blob: blob: not found');
  const bytes = Buffer.from(id, 'hex');
  return goJson({
    commitment: bytes.subarray(8).toString('hex'),
    content: Buffer.from(content).toString('hex'),
    content_preview: Buffer.from(content).subarray(0, PREVIEW_BYTES).toString('utf8'),
    height: bytes.readBigUInt64LE(0),
    id: id.toLowerCase(),
    size: content.length,
  });
}

function describePage(view: NodeView): string {
  return `<!DOCTYPE html>
<html>
<head>
    <title>Devnode: DA layer of ${view.chainId}</title>
    <meta http-equiv="refresh" content="30">
</head>
<body>
    <h1>DA layer of ${view.chainId}</h1>
    <p>${view.ring.list().length} recent submissions.</p>
    <ul>
        <li><a href="/da/submissions">/da/submissions</a></li>
        <li><a href="/da/stats">/da/stats</a></li>
        <li><a href="/da/health">/da/health</a></li>
    </ul>
</body>
</html>
`;
}
