import { type Command, Option } from 'commander';
import type { Alert, Notice } from '../domain/alerts/alert-ledger.js';
import { ALERT_RULES } from '../domain/alerts/alert-rules.js';
import { QUIET_MS } from '../domain/health/trouble.js';
import { TRIAL_RULE, type AlertDestination } from '../domain/alerts/notice-request.js';
import { toNoticeText } from '../domain/alerts/notice-text.js';
import { replayAlerts, type ReplayedNotice } from '../domain/alerts/replay-alerts.js';
import { microsToMillis, millisToMicros, type Millis } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import { readMoment, toSecond } from './moments.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';
import { catchStopSignals, StoppedBySignal } from './stop-signals.js';
import { printTable } from './table.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface ReplayOptions extends SettingOptions {
  readonly dryRun?: boolean;
  readonly from?: string;
  readonly to?: string;
}

const TIME_REMEDY = 'Write it as 2026-03-01T00:00:00Z, or as a day: 2026-03-01.';
const REPLAY_REMEDY = 'Give --dry-run --from TIME [--to TIME]; or say list or test.';

/** `hindsight alerts`: what people are told of, whether they can be, and what they would have been told. */
export function define(alerts: Command): void {
  alerts
    .helpCommand(false)
    .description('list and try alerts; with --dry-run print what would have been sent in a time of the past')
    .addOption(new Option('--dry-run', 'ask the rules of now about the past; nothing is sent'))
    .option('--from <TIME>', 'where it begins, inclusive')
    .option('--to <TIME>', 'where it ends; now when left out');
  addDatabaseOptions(alerts).action(replay);
  const list = alerts.command('list').description('list the rules, and the alerts that are open');
  addDatabaseOptions(list).action(() => listAll(list.optsWithGlobals()));
  const test = alerts
    .command('test')
    .description('send a trial message to the destinations of the settings')
    .argument('[DESTINATION]', 'the id of one; all of them when left out');
  addSettingOptions(test, ['logLevel']).action((id: string | undefined) =>
    sendTrial(id, test.optsWithGlobals()),
  );
}

async function listAll(options: SettingOptions): Promise<void> {
  const { AlertBook } = await import('../alerts/alert-book.js');
  const { open } = await withDatabase(options, async ({ openLog }) => new AlertBook(await openLog()).read());
  const rules = printTable(
    [
      { title: 'rule', read: ({ name }) => name },
      { title: 'severity', read: ({ severity }) => severity },
      { title: 'after', read: ({ forMs }) => `${forMs / 60_000} min` },
      { title: 'what', read: ({ title }) => title },
    ],
    ALERT_RULES,
  );
  process.stdout.write(`${rules}\n${open.length === 0 ? 'No alert is open.\n' : printOpen(open)}`);
}

function printOpen(open: readonly Alert[]): string {
  return printTable(
    [
      { title: 'open since', read: ({ since }) => timeText(since) },
      { title: 'rule', read: ({ rule }) => rule },
      { title: 'chain', read: ({ chain }) => chain ?? '' },
      { title: 'nodes', read: ({ nodes }) => nodes.join(', ') },
    ],
    open,
  );
}

async function replay(options: ReplayOptions): Promise<void> {
  if (options.dryRun !== true || options.from === undefined) {
    throw new UserError('It must be told what to do.', REPLAY_REMEDY, 2);
  }
  const { MOST_REPLAYED, readHealthBetween } = await import('../alerts/present-health.js');
  const from = readMoment('--from', options.from, TIME_REMEDY);
  const now = millisToMicros(new SystemClock().now());
  const to = options.to === undefined ? now : readMoment('--to', options.to, TIME_REMEDY);
  if (from >= to) throw new UserError('--from must be before --to.', TIME_REMEDY, 2);
  const spans = await withDatabase(options, ({ dataSource }) =>
    readHealthBetween(dataSource, from - millisToMicros(QUIET_MS), to < now ? to : now),
  );
  if (spans.length > MOST_REPLAYED) {
    throw new UserError(
      `There are more than ${MOST_REPLAYED} changes of health in that time.`,
      'Give a shorter time.',
    );
  }
  const last = to < now ? to : now;
  const notices = replayAlerts(spans, microsToMillis(from), microsToMillis(last));
  process.stdout.write(notices.length === 0 ? 'Nothing would have been sent.\n' : printNotices(notices));
}

function printNotices(notices: readonly ReplayedNotice[]): string {
  return printTable(
    [
      { title: 'sent', read: ({ at }) => timeText(at) },
      { title: 'message', read: (notice) => toNoticeText(notice).title },
      { title: 'since', read: ({ alert }) => timeText(alert.since) },
      { title: 'until', read: ({ until }) => (until === null ? '' : timeText(until)) },
      { title: 'nodes', read: ({ alert }) => alert.nodes.join(', ') },
    ],
    notices,
  );
}

async function sendTrial(id: string | undefined, options: SettingOptions): Promise<void> {
  const { sendNotice } = await import('../alerts/send-notice.js');
  const destinations = findDestinations(readSettings(options).alerts.destinations, id);
  const notice = trialNotice(new SystemClock().now());
  const stop = catchStopSignals();
  const http = new HttpClient();
  const failed: string[] = [];
  try {
    for (const destination of destinations) {
      const failure = await sendNotice(http, destination, notice, stop.signal);
      if (stop.signal.aborted) throw new StoppedBySignal();
      if (failure) failed.push(`${destination.id} (${failure.detail})`);
      else process.stdout.write(`${destination.id} took it.\n`);
    }
  } finally {
    await http.close();
    stop.release();
  }
  if (failed.length === 0) return;
  throw new UserError(
    `Not taken by ${failed.join(', ')}.`,
    'Check its address and token under alerts in hindsight.yaml.',
  );
}

function findDestinations(
  all: readonly AlertDestination[],
  id: string | undefined,
): readonly AlertDestination[] {
  const asked = id === undefined ? all : all.filter((destination) => destination.id === id);
  if (asked.length > 0) return asked;
  const missing =
    all.length === 0 ? 'The settings name no destination.' : 'The settings name no such destination.';
  throw new UserError(missing, 'List them under alerts.destinations in hindsight.yaml.', 2);
}

function trialNotice(now: Millis): Omit<Notice, 'waiting'> {
  const alert: Alert = {
    id: `${TRIAL_RULE}-${now}`,
    rule: TRIAL_RULE,
    severity: 'WARNING',
    owner: TRIAL_RULE,
    chain: null,
    nodes: ['none'],
    since: now,
    reason: 'Somebody tries this destination. Nothing is wrong.',
  };
  return { key: `${alert.id}-raised`, alert, until: null, at: now };
}

function timeText(at: Millis): string {
  return toSecond(millisToMicros(at));
}
