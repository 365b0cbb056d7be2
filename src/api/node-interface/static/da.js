'use strict';

const EVERY_MS = 30_000;
const byId = (id) => document.getElementById(id);

// What nodes said may hold characters that nobody sees and that turn the direction of the writing around them.
const INVISIBLE = new RegExp('[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]', 'gu');

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = String(text).replace(INVISIBLE, '?');
  return element;
};

const isKnown = (value) => value !== null && value !== undefined;
const count = (value) => (isKnown(value) ? Number(value).toLocaleString() : 'unknown');
const decimal = (value) =>
  isKnown(value) ? Number(value).toLocaleString([], { maximumSignificantDigits: 4 }) : 'unknown';
const share = (value) => (isKnown(value) ? `${(100 * value).toFixed(1)} %` : 'unknown');
const bytes = (value) => (isKnown(value) ? `${count(Math.round(value))} B` : 'unknown');
const seconds = (value) => (isKnown(value) ? `${decimal(value / 1000)} s` : 'unknown');
const range = ({ min, max } = {}) => {
  if (!isKnown(min) && !isKnown(max)) return 'unknown';
  return String(min) === String(max) ? count(min) : `${count(min)} to ${count(max)}`;
};
const time = (text) => {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) || at.getTime() < 0
    ? 'unknown'
    : at.toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' });
};

async function ask(path) {
  const key = sessionStorage.getItem('hindsight-key');
  const response = await fetch(`${location.pathname.replace(/\/+$/, '')}/${path}`, {
    headers: key ? { 'x-api-key': key } : {},
  });
  byId('key-form').hidden = response.status !== 401;
  const text = await response.text();
  if (!response.ok) throw new Error(toMessage(text));
  return { body: JSON.parse(text), headers: response.headers };
}

function toMessage(text) {
  try {
    return JSON.parse(text).errors[0].message;
  } catch {
    return text.trim();
  }
}

function describe(id, entries) {
  byId(id).replaceChildren(
    ...entries.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]),
  );
}

function fillTable(head, body, columns, rows) {
  const names = make('tr');
  names.append(...columns.map(([name]) => make('th', '', name)));
  byId(head).replaceChildren(names);
  byId(body).replaceChildren(
    ...rows.map((row) => {
      const line = make('tr');
      line.append(
        ...columns.map(([, tell, className]) => {
          const cell = make('td', className);
          const told = tell(row);
          cell.append(told instanceof Node ? told : make('span', '', told));
          return cell;
        }),
      );
      return line;
    }),
  );
}

const SVG = 'http://www.w3.org/2000/svg';

/** A line over the buckets; it breaks where nothing is known. */
function drawLine(values) {
  const known = values.filter(isKnown).map(Number);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 100 40');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const most = Math.max(...known, 0) || 1;
  const step = 100 / Math.max(1, values.length - 1);
  let points = [];
  const end = () => {
    if (points.length > 1) {
      const line = document.createElementNS(SVG, 'polyline');
      line.setAttribute('points', points.join(' '));
      svg.append(line);
    }
    points = [];
  };
  values.forEach((value, index) => {
    if (isKnown(value)) points.push(`${index * step},${39 - (38 * Number(value)) / most}`);
    else end();
  });
  end();
  return svg;
}

function trend(title, rows, pick, tell) {
  const card = make('article', 'card trend');
  const values = rows.map(pick);
  const known = values.filter(isKnown).map(Number);
  const text =
    known.length === 0
      ? 'Nothing is known.'
      : `From ${tell(Math.min(...known))} to ${tell(Math.max(...known))}, ${tell(known.at(-1))} at the end.`;
  card.append(make('h3', '', title), drawLine(values), make('p', 'quiet', text));
  return card;
}

function statusOf(row) {
  const status = row.status_code ?? row.statusCode ?? row.status ?? 'unknown';
  const state = /^success$/i.test(status) ? 'HEALTHY' : status === 'unknown' ? 'UNKNOWN' : 'CRITICAL';
  return make('span', `state ${state}`, status);
}

const FEED = [
  ['Status', statusOf],
  ['Time', (row) => time(row.timestamp ?? row.time)],
  ['DA height', (row) => row.height || ''],
  ['Blobs', (row) => count(row.num_blobs ?? row.blob_count)],
  ['Size', (row) => bytes(row.blob_size)],
  ['Gas price', (row) => (row.gas_price > 0 ? decimal(row.gas_price) : 'unknown')],
  ['Message', (row) => row.message ?? '', 'words'],
];

const HISTORY = [
  ['Day', (row) => new Date(row.time).toLocaleDateString()],
  ['Submissions', (row) => count(row.submissions)],
  ['Failures', (row) => count(row.failures)],
  ['Success rate', (row) => share(row.success_rate)],
  ['Blobs', (row) => count(row.blobs)],
  ['Gas', (row) => range({ min: row.gas_spent_min, max: row.gas_spent_max })],
  ['Watched', (row) => share(row.coverage)],
];

function showStats({ history }) {
  if (!history) return;
  const latestPrice = history.daily.map((row) => row.avg_gas_price).findLast(isKnown);
  describe('performance', [
    ['Success rate', share(history.success_rate)],
    ['Failure rate', share(history.failure_rate)],
    ['Submission time (median)', seconds(history.submission_time_ms?.p50)],
  ]);
  describe('cost', [
    ['Gas spent', range(history.total_gas_spent)],
    ['Fees, utia', range(history.total_fee_utia)],
    ['Average gas price', decimal(latestPrice)],
  ]);
  describe('volume', [
    ['Submissions', count(history.total_submissions)],
    ['Blobs', count(history.total_blobs)],
    [
      'Average blob size',
      bytes(history.total_blobs > 0 ? history.total_blob_size / history.total_blobs : null),
    ],
  ]);
  byId('trends').replaceChildren(
    trend('Submissions by hour', history.hourly, (row) => row.submissions, count),
    trend('Success rate by hour', history.hourly, (row) => row.success_rate, share),
    trend('Gas price by hour', history.hourly, (row) => row.avg_gas_price, decimal),
    trend('Submissions by day', history.daily, (row) => row.submissions, count),
    trend('Success rate by day', history.daily, (row) => row.success_rate, share),
    trend('Gas price by day', history.daily, (row) => row.avg_gas_price, decimal),
  );
  fillTable('history-head', 'history', HISTORY, [...history.daily].reverse());
}

function showHealth({ hindsight, status }) {
  const badge = byId('health');
  badge.className = `state ${hindsight.status.toUpperCase()}`;
  badge.textContent = hindsight.status;
  byId('reason').textContent = hindsight.reason ?? 'Nothing is known of it.';
  byId('health').title = `The node itself says: ${status ?? 'nothing'}`;
}

function showList({ body, headers }) {
  const asOf = headers.get('x-hindsight-as-of');
  byId('standing').textContent = asOf === null ? '' : `Last change seen ${time(asOf)}.`;
  fillTable('feed-head', 'feed', FEED, body.submissions);
}

async function refresh() {
  const parts = [
    ['health', ({ body }) => showHealth(body)],
    ['stats', ({ body }) => showStats(body)],
    ['submissions', showList],
  ];
  const troubles = new Set();
  for (const [path, show] of parts) {
    try {
      show(await ask(path));
    } catch (error) {
      troubles.add(error.message);
    }
  }
  byId('trouble').hidden = troubles.size === 0;
  byId('trouble').textContent = [...troubles].join(' ').replace(INVISIBLE, '?');
}

const id = /^\/nodes\/([^/]+)\//.exec(location.pathname)?.[1];
byId('node').textContent = id === undefined ? '' : `of ${decodeURIComponent(id)}`;
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('hindsight-key', byId('key').value);
  void refresh();
});
void refresh();
setInterval(() => void refresh(), EVERY_MS);
