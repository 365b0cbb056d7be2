import type { Alert } from '../domain/alerts/alert-ledger.js';
import { ALERT_RULES, WORDS, type AlertWords } from '../domain/alerts/alert-rules.js';
import type { HealthFold } from '../domain/health/health-fold.js';
import { findRefused } from '../domain/health/health-node-facts.js';
import { remedyOfCauses, runbookOfCauses, TROUBLE_WORDS } from '../domain/health/trouble-words.js';
import type { CauseCount } from '../domain/interval/failures-by-cause.js';
import { isTokenRefused } from '../domain/node-interface/answer-form.js';
import { tlsRemedy } from '../domain/tls-fault.js';
import { millisToMicros, type Millis } from '../domain/time.js';
import type { Database } from '../platform/sql.js';
import type { IntervalOwner } from '../statistics/interval/interval-request.js';
import { findDaNodeRule } from '../statistics/interval/da-node-then.query.js';
import { getFailures, requireFewRows } from '../statistics/interval/interval-rows.query.js';
import { inSnapshot } from '../platform/snapshot.js';

/** Remedies for failed attempts of any cause. Remedies from the settings are not among them, and stay. */
const GENERAL: ReadonlySet<string> = new Set([
  TROUBLE_WORDS.DA.failing.remedy,
  TROUBLE_WORDS.DA.failures.remedy,
  TROUBLE_WORDS.DA.silent.remedy,
  WORDS.failures.remedy,
]);

/** Remedies of alerts for systems that cannot be reached. */
const REACHED: ReadonlySet<string> = new Set(
  ALERT_RULES.filter(({ name }) => ['node-unreachable', 'da-node', 'execution-layer'].includes(name)).map(
    ({ remedy }) => remedy,
  ),
);

/** Failures in the minute before the first sign share the cause of the trouble. */
const BEFORE_SIGN_MS: Millis = 60_000;
/** The window of the rule "many failures". */
const WINDOW_MS: Millis = 600_000;
const LONGEST_MS: Millis = 24 * 3_600_000;

/** Remedies for nodes that refuse polls. */
const REFUSED = {
  token: `In Hindsight's settings, set the right token under "headers" of this node; then restart Hindsight.`,
  rate: 'The node, or a proxy in front of it, gets too many requests from Hindsight: allow more of them, or raise poll.floor.',
};

/** The alert with the remedy for the cause and the path of its page, if known: why attempts fail, or why a node cannot be seen. */
export async function withRemedyOfCause(source: Database, alert: Alert, now: Millis): Promise<Alert> {
  const { words } = alert;
  const ofTls = words && REACHED.has(words.remedy) ? tlsRemedy(alert.reason) : undefined;
  if (words && ofTls !== undefined) return { ...alert, words: { ...words, remedy: ofTls } };
  if (words?.remedy === WORDS.noLook.remedy) return withRemedyOfRefusal(source, alert, words);
  if (words === undefined || !GENERAL.has(words.remedy)) return alert;
  const fromMs = words.remedy === WORDS.failures.remedy ? now - WINDOW_MS : alert.since - BEFORE_SIGN_MS;
  const causes = await readCauses(source, alert, Math.max(fromMs, now - LONGEST_MS), now);
  const daNode = await findDaNodeRule(source, alert.nodes, {
    fromUs: millisToMicros(alert.since),
    toUs: millisToMicros(now),
  });
  const found = { causes, isOpen: true, daNode };
  const [remedy, runbook] = [remedyOfCauses(found), runbookOfCauses(found)];
  return remedy === undefined || runbook === undefined
    ? alert
    : { ...alert, words: { ...words, remedy }, runbook };
}

/** A node that refuses each poll is not down. If only some of the nodes refuse, the general remedy stays. */
async function withRemedyOfRefusal(source: Database, alert: Alert, words: AlertWords): Promise<Alert> {
  const rows = await source.query<{ readonly state: HealthFold }[]>(
    'SELECT state FROM health_fold WHERE node = ANY ($1::text[])',
    [alert.nodes],
  );
  const refusals = rows.flatMap(({ state }) =>
    state.nodeLine?.rule === 'refused' ? (findRefused(state.node) ?? []) : [],
  );
  const [first] = refusals;
  if (first === undefined || refusals.length < alert.nodes.length) return alert;
  const remedy = refusals.some(({ status }) => isTokenRefused(status)) ? REFUSED.token : REFUSED.rate;
  const reason = `The node refuses Hindsight: /health/${first.probe} answers ${first.status}.`;
  return { ...alert, reason, words: { ...words, title: 'Node refuses Hindsight', remedy } };
}

async function readCauses(
  source: Database,
  { nodes: ids, chain }: Alert,
  fromMs: Millis,
  now: Millis,
): Promise<readonly CauseCount[]> {
  const nodes = await source.query<IntervalOwner['nodes'][number][]>(
    'SELECT id, node_key AS key FROM node WHERE id = ANY ($1::text[]) ORDER BY array_position($1::text[], id)',
    [ids],
  );
  // Several nodes may show the same attempts, which count once for the chain.
  const owner =
    nodes.length > 1 && chain !== null ? { nodes, chain } : { nodes: nodes.slice(0, 1), chain: null };
  const nowUs = millisToMicros(now);
  const stretch = { ...owner, fromUs: millisToMicros(fromMs), toUs: nowUs, nowUs };
  return inSnapshot(source, async (query) => {
    await requireFewRows(query, stretch);
    return getFailures(query, stretch);
  });
}
