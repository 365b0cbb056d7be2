import { Charts } from './charts.js';
import {
  bare,
  byId,
  bytes,
  clock,
  count,
  dayOf,
  decimal,
  gasPriceOf,
  hourOf,
  isKnown,
  isUnwatched,
  lasting,
  make,
  pick,
  printable,
  range,
  seconds,
  share,
  time,
} from './words.js';

const EVERY_MS = 30_000;
const LONGEST_TROUBLE = 500;
const SHOWN_ID_DIGITS = 8;
const BLOBS_SHOWN = 3;

const base = location.pathname.replace(/\/+$/, '');
const given = new URLSearchParams(location.search);
/** The moment that is shown; null: the present. */
const moment = given.get('at');
const shape = given.get('shape');

/** Names that people know, beside the colour. */
const SIGNS = { HEALTHY: '✓', WARNING: '!', CRITICAL: '✕', UNKNOWN: '?' };
const sign = (state, words) => make('span', `state ${state}`, `${SIGNS[state] ?? SIGNS.UNKNOWN} ${words}`);

class Refused extends Error {
  constructor(status, text) {
    super(toMessage(text).slice(0, LONGEST_TROUBLE));
    this.status = status;
  }
}

/** What nodes say that have no DA monitoring, or have it switched off. */
const OFF = /^(404 page not found|DA visualization not available)$/;

function toMessage(text) {
  if (OFF.test(text.trim()))
    return `DA monitoring is off at this node (it says “${text.trim()}”): what is shown here was recorded before.`;
  try {
    const { errors, message } = JSON.parse(text);
    return errors?.[0].message ?? message;
  } catch {
    return text.trim();
  }
}

async function ask(path, query = {}, request = {}) {
  const key = sessionStorage.getItem('hindsight-key');
  const search = new URLSearchParams({
    ...query,
    ...(moment && { at: moment }),
    ...(shape && { shape }),
  }).toString();
  const response = await fetch(`${base}/${path}${search && `?${search}`}`, {
    ...request,
    headers: { ...request.headers, ...(key && { 'x-api-key': key }) },
  });
  const text = await response.text();
  byId('key-form').hidden = response.status !== 401;
  if (!response.ok) throw new Refused(response.status, text);
  return { body: JSON.parse(text), headers: response.headers };
}

function describe(id, entries) {
  byId(id).replaceChildren(
    ...entries.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]),
  );
}

function fillTable(id, caption, columns, rows) {
  const names = make('tr');
  for (const [name] of columns) {
    const cell = make('th', '', name);
    cell.scope = 'col';
    names.append(cell);
  }
  const head = make('thead');
  head.append(names);
  const body = make('tbody');
  for (const row of rows) {
    const line = make('tr');
    for (const [, tell, className] of columns) {
      const told = tell(row);
      const cell = make(
        'td',
        told === 'unknown' ? 'none' : className,
        told instanceof Node ? undefined : told,
      );
      if (told instanceof Node) cell.append(told);
      line.append(cell);
    }
    body.append(line);
  }
  byId(id).replaceChildren(make('caption', '', caption), head, body);
}

function statusOf(row) {
  const status = pick(row, 'status_code', 'statusCode', 'status') ?? 'unknown';
  return sign(/^success$/i.test(status) ? 'HEALTHY' : status === 'unknown' ? 'UNKNOWN' : 'CRITICAL', status);
}

function linkTo(id, namespace) {
  const link = make('a', 'blob', `…${id.slice(-SHOWN_ID_DIGITS)}`);
  const query = { id, ...(namespace && { namespace }) };
  link.href = `${base}/blob?${new URLSearchParams(query)}`;
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void showBlob(query);
  });
  return link;
}

/** Rows whose further blobs somebody has opened, by their first one: the table is made anew every 30 s. */
const opened = new Set();

/** A row can have 30,000 blobs: beyond the first few they are linked when somebody opens them. */
function restOf([first], rest, namespace) {
  const details = make('details', 'more');
  details.append(make('summary', '', `${count(rest.length)} more`));
  details.addEventListener('toggle', () => {
    if (details.open) opened.add(first);
    else opened.delete(first);
    if (details.open && details.children.length === 1)
      details.append(...rest.flatMap((id) => [linkTo(id, namespace), ' ']));
  });
  details.open = opened.has(first);
  return details;
}

function blobsOf(row) {
  const ids = [pick(row, 'blob_ids', 'blobIds', 'blob_id') ?? []]
    .flat()
    .filter((id) => typeof id === 'string' && id !== '');
  const line = make('span', '', count(pick(row, 'num_blobs', 'numBlobs', 'blob_count') ?? ids.length));
  const shown = ids.slice(0, BLOBS_SHOWN);
  for (const id of shown) line.append(' · ', linkTo(id, row.namespace));
  if (ids.length > BLOBS_SHOWN) line.append(restOf(ids, ids.slice(BLOBS_SHOWN), row.namespace));
  return line;
}

/** The namespaces that the node had told by then, without 0x. */
let namespaces = {};

function kindOf({ namespace }) {
  if (!isKnown(namespace)) return 'unknown';
  const own = bare(namespace);
  const kinds = ['header', 'data'].filter((kind) => namespaces[kind] === own);
  return kinds.join(' or ') || 'unknown';
}

function messageOf(row) {
  const message = pick(row, 'message', 'error', 'error_message') ?? '';
  const line = make('div', 'message', message);
  line.title = printable(message);
  return line;
}

const FEED = [
  ['Status', statusOf],
  ['Time', (row) => time(pick(row, 'timestamp', 'time'))],
  ['DA height', (row) => (row.height > 0 ? count(row.height) : '–')],
  ['Kind', kindOf],
  ['Blobs', blobsOf],
  ['Size', (row) => bytes(pick(row, 'blob_size', 'blobSize'))],
  ['Gas price', (row) => decimal(row.gas_price > 0 ? row.gas_price : null)],
  ['Message', messageOf, 'words'],
];

/** Columns of a table of buckets; of one that nobody watched nothing is known. */
const bucketColumns = (name, tellTime) => {
  const seen = (tell) => (row) => (isUnwatched(row) ? 'unknown' : tell(row));
  return [
    [name, (row) => tellTime(new Date(row.time))],
    ['Submissions', seen((row) => count(row.submissions))],
    ['Failures', seen((row) => count(row.failures))],
    ['Success rate', seen((row) => (row.submissions > 0 ? share(row.success_rate) : '–'))],
    ['Blobs', seen((row) => count(row.blobs))],
    ['Blob size', seen((row) => (row.blobs > 0 ? bytes(row.avg_blob_size) : '–'))],
    ['Gas', seen((row) => range({ min: row.gas_spent_min, max: row.gas_spent_max }))],
    ['Gas price', seen((row) => decimal(gasPriceOf(row)))],
    ['Watched', (row) => share(row.coverage)],
  ];
};
const BY_DAY = bucketColumns('Day', dayOf);
const BY_HOUR = bucketColumns('Hour', hourOf);

const charts = new Charts(byId('trends'));

function fillBuckets(id, columns, buckets) {
  const first = buckets.findIndex((row) => !isUnwatched(row));
  const caption = first === 0 ? 'Newest first.' : 'Newest first; before them no list was seen.';
  fillTable(id, caption, columns, first < 0 ? [] : buckets.slice(first).toReversed());
}

const reveal = (name) => (byId(`${name}-section`).hidden = false);

function showStats({ history, is_aggregator: submits }) {
  // A node that submits nothing, and never did, has no figures.
  if (!history || (submits === false && !(history.total_submissions > 0))) return;
  const record = moment ? `record up to ${time(history.until)}` : 'whole record';
  byId('figures-title').textContent = `Performance, cost and volume of the ${record}`;
  const { submission_time_ms: spread } = history;
  describe('performance', [
    ['Success rate', share(history.success_rate)],
    ['Failure rate', share(history.failure_rate)],
    ['Average submission time, from block to DA layer', seconds(history.avg_submission_time_ms)],
    ['… half of them within', seconds(spread?.p50)],
    ['… 9 of 10 within', seconds(spread?.p90)],
    ['Average time from a first, failed attempt to success', seconds(history.avg_retry_time_ms)],
  ]);
  describe('cost', [
    ['Gas spent', range(history.total_gas_spent)],
    ['Fees, utia', range(history.total_fee_utia)],
    ['Average gas price, last day', decimal(gasPriceOf(history.daily.at(-1) ?? {}))],
  ]);
  describe('volume', [
    ['Submissions', count(history.total_submissions)],
    ['Blobs', count(history.total_blobs)],
    ['Bytes', bytes(history.total_blob_size)],
    ['Average blob size', bytes(history.avg_blob_size)],
  ]);
  for (const name of ['figures', 'trends', 'history']) reveal(name);
  charts.show(history);
  fillBuckets('daily', BY_DAY, history.daily);
  fillBuckets('hourly', BY_HOUR, history.hourly);
}

/** The source of the status, by `hindsight.basis`. */
const CLAIMS = {
  claimed: 'What the node last said of it',
  computed: 'What the node would say of it, by its own rules',
  concluded: "The node says nothing of it; in the specification's words",
  'not reached': "Nobody reaches the node; in the specification's words",
};

function showHealth({ hindsight, status }) {
  const state = hindsight.status.toUpperCase();
  const since = isKnown(hindsight.since)
    ? (moment ? Date.parse(moment) : Date.now()) - Date.parse(hindsight.since)
    : null;
  showState(
    state,
    since === null ? hindsight.status : `${hindsight.status} for ${lasting(since)}`,
    hindsight.reason ?? 'Nothing is known of it.',
  );
  byId('claim').textContent = `${CLAIMS[hindsight.basis]}: ${printable(status ?? 'nothing')}.`;
}

function showState(state, words, reason) {
  const badge = sign(state, words);
  badge.id = 'health';
  byId('health').replaceWith(badge);
  byId('reason').textContent = printable(reason);
  document.title = `${SIGNS[state] ?? SIGNS.UNKNOWN} ${node} · data availability · Hindsight`;
}

function showFeed(caption, rows) {
  reveal('feed');
  fillTable('feed', caption, FEED, rows);
}

function showList({ body, headers }) {
  const [asOf, proven] = [headers.get('x-hindsight-as-of'), headers.get('x-hindsight-proven') === 'true'];
  const rows = body.submissions;
  const caption = [
    rows.length === 0
      ? `${body.message ?? 'No submission yet'}.`
      : `${count(rows.length)} rows, as the node lists them.`,
    isKnown(asOf) ? `Last change seen ${time(asOf)}.` : '',
    proven ? '' : 'It is not proven that the node shows them so at this moment.',
  ];
  showFeed(caption.filter(Boolean).join(' '), rows);
}

/** What is recorded, where the node shows nothing of it. */
async function askStats() {
  try {
    showStats((await ask('stats')).body);
  } catch (refused) {
    showStats((await ask('stats', { history: 'only' })).body);
    throw refused;
  }
}

async function askNamespaces() {
  const call = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const { body } = await ask('../evnode.v1.ConfigService/GetNamespace', {}, call);
  namespaces = { header: bare(body.headerNamespace ?? ''), data: bare(body.dataNamespace ?? '') };
}

/** What the node shows; where it shows nothing, what is recorded of it. */
async function askList() {
  // Without them it is not known which rows are of headers.
  await askNamespaces().catch(() => undefined);
  try {
    showList(await ask('submissions'));
  } catch (refused) {
    const { body } = await ask('submissions', { limit: '100' });
    if (body.submissions.length > 0)
      showFeed('The list cannot be read; these were recorded before.', body.submissions);
    throw refused;
  }
}

async function showBlob(query) {
  const show = (text) => (byId('blob-text').textContent = text);
  show('Asking…');
  byId('blob').showModal();
  try {
    const { body } = await ask('blob', query);
    show(JSON.stringify(body, null, 2).split('\n').map(printable).join('\n'));
  } catch (error) {
    show(printable(error.message));
  }
}

const PARTS = [async () => showHealth((await ask('health')).body), askStats, askList];

async function refresh() {
  const results = await Promise.allSettled(PARTS.map((part) => part()));
  const errors = results.flatMap(({ reason }) => reason ?? []);
  const isSilent = errors.length > 0 && errors.every((error) => !(error instanceof Refused));
  const troubles = [...new Set(errors.map((error) => printable(error.message)))];
  if (isSilent) troubles.unshift('Hindsight does not answer; what is shown here is old.');
  if (results[0].reason instanceof Refused) showState('UNKNOWN', 'unknown', troubles.shift());
  byId('trouble').hidden = troubles.length === 0;
  byId('trouble').textContent = troubles.join(' ');
  if (!isSilent) byId('standing').textContent = standing();
  byId('main').setAttribute('aria-busy', 'false');
}

function standing() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return moment
    ? `This is ${time(moment)}, not now: what the node showed then, and what is known of the time before. Times of ${zone}.`
    : `Asked at ${clock(new Date())}, and every 30 s. Times of ${zone}.`;
}

const id = /^\/nodes\/([^/]+)\//.exec(location.pathname)?.[1];
const node = id === undefined ? 'The default node' : decodeURIComponent(id);
byId('node').textContent = printable(node);
if (moment) {
  const at = new Date(moment);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  if (!Number.isNaN(at.getTime())) byId('moment').value = local.toISOString().slice(0, 19);
  const now = make('a', '', 'Back to now');
  now.href = base;
  byId('moment-form').append(now);
  byId('moments').open = true;
  byId('standing').className = 'past';
}
byId('moment-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { value } = byId('moment');
  location.search = value === '' ? '' : new URLSearchParams({ at: new Date(value).toISOString() }).toString();
});
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('hindsight-key', byId('key').value);
  void refresh();
});
void refresh();
if (!moment) setInterval(() => void refresh(), EVERY_MS);
