import { type Command, Option } from 'commander';
import type { Alert, Message } from '../domain/alerts/alert-ledger.js';
import type { AlertScope } from '../domain/alerts/alert-scope.js';
import { TRIAL_RULE, type AlertDestination } from '../domain/alerts/notice-request.js';
import { toPrintable } from '../domain/printable-text.js';
import { microsToMillis, millisToMicros, type Millis } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import { onConnection } from '../platform/sql.js';
import { parseDuration } from '../settings/values.js';
import { findIdle } from '../domain/alerts/alert-scope.js';
import { printOpen, printReplay, printRules, printSilences, printUnjudged } from './alerts-table.js';
import { readMoment, readPast, toSecond } from './moments.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';
import { catchStopSignals } from './stop-signals.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface ReplayOptions extends SettingOptions {
  readonly dryRun?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly knownAt?: string;
}

interface SilenceOptions extends SettingOptions, AlertScope {
  readonly until?: string;
  readonly for?: string;
  readonly note?: string;
}

const TIME_REMEDY = 'Write it as 2026-03-01T00:00:00Z, or as a day: 2026-03-01.';
const REPLAY_REMEDY = 'Give --dry-run --from TIME [--to TIME]; or use list, test, silence or unsilence.';
const LENGTH_REMEDY = 'Write it as 90s, 30m or 12h, up to 720h. For longer give --until TIME.';
const SILENCE_REMEDY =
  'Name fewer, or use patterns like prod-*; or lift a silence that is not needed: `hindsight alerts list` shows them.';
const EARLIER_REMEDY = 'Give an earlier --from or a later --to.';
/** Author of events from the command line. */
const BY = 'command line';

export function define(alerts: Command): void {
  alerts
    .helpCommand(false)
    .description('list and try alerts; with --dry-run print what would have been sent in a past time range')
    .addOption(new Option('--dry-run', 'apply the current rules to the past; send nothing'))
    .option('--from <TIME>', 'start of the time range, inclusive')
    .option('--to <TIME>', 'end of the time range; default: now')
    .option('--known-at <TIME>', 'use only what was on record at this time');
  addDatabaseOptions(alerts).action(replayTime);
  const list = alerts.command('list').description('list the rules, the silences and the open alerts');
  addDatabaseOptions(list).action(() => listAll(list.optsWithGlobals()));
  const test = alerts
    .command('test')
    .description('send a test message to the destinations in the settings')
    .argument('[DESTINATION]', 'id of a destination; default: all');
  addSettingOptions(test, ['logLevel']).action((id: string | undefined) =>
    sendTrial(id, test.optsWithGlobals()),
  );
  const silence = alerts
    .command('silence')
    .description('send no message about new alerts until a given time; without names: about any alert')
    .option('--rules <PATTERNS...>', 'names of rules; * matches any characters')
    .option('--nodes <PATTERNS...>', 'ids of nodes')
    .option('--chains <PATTERNS...>', 'ids of chains')
    .option('--until <TIME>', 'when the silence ends')
    .option('--for <DURATION>', 'how long the silence lasts, like 2h')
    .option('--note <TEXT>', 'why');
  addDatabaseOptions(silence).action(() => addSilence(silence.optsWithGlobals()));
  const unsilence = alerts
    .command('unsilence')
    .description('end a silence before its time')
    .argument('<ID>', 'id of the silence, or the beginning of the id');
  addDatabaseOptions(unsilence).action((id: string) => liftSilence(id, unsilence.optsWithGlobals()));
}

async function listAll(options: SettingOptions): Promise<void> {
  const { AlertBook } = await import('../alerts/alert-book.js');
  const { findUnjudged } = await import('../alerts/condition-sampler.js');
  const { rules } = readSettings(options).alerts;
  const now = new SystemClock().now();
  const [ledger, unjudged] = await withDatabase(options, async ({ dataSource, openLog }) => [
    await new AlertBook(await openLog()).read(),
    await findUnjudged(dataSource, rules, now),
  ]);
  const parts = [
    printRules(rules),
    printUnjudged(unjudged),
    printSilences(ledger.silencesAt(now)),
    printOpen(ledger.open),
  ];
  process.stdout.write(parts.filter((part) => part !== '').join('\n'));
}

async function replayTime(options: ReplayOptions): Promise<void> {
  if (options.dryRun !== true || options.from === undefined) {
    throw new UserError('A dry run needs --dry-run and --from.', REPLAY_REMEDY, 2);
  }
  const { replayPast } = await import('./alerts-replay.js');
  const { findPositionAt } = await import('../statistics/read/plan/log-position.query.js');
  const fromUs = readMoment('--from', options.from, TIME_REMEDY);
  const now = millisToMicros(new SystemClock().now());
  const to = options.to === undefined ? now : readMoment('--to', options.to, TIME_REMEDY);
  if (fromUs >= now)
    throw new UserError(
      '--from is not in the past.',
      'A dry run reads the record: give a time before now.',
      2,
    );
  if (fromUs >= to) throw new UserError('--from must be before --to.', EARLIER_REMEDY, 2);
  const knownAtUs = options.knownAt && readPast('--known-at', options.knownAt, now, TIME_REMEDY);
  const { rules, maintenance } = readSettings(options).alerts;
  const replay = await withDatabase(options, async ({ dataSource }) => {
    const knownAt = knownAtUs
      ? await onConnection(dataSource, (query) => findPositionAt(query, knownAtUs))
      : undefined;
    return replayPast(dataSource, { rules, maintenance, fromUs, toUs: to < now ? to : now, knownAt });
  });
  process.stdout.write(printReplay(replay));
}

async function addSilence(options: SilenceOptions): Promise<void> {
  const { Silences, SilenceRefused } = await import('../alerts/silences.js');
  const now = new SystemClock().now();
  const until = readEnd(options, now);
  const { rules, nodes, chains, note = '' } = options;
  const wish = { scope: { rules, nodes, chains }, until, note, by: BY };
  const silence = await withDatabase(options, async ({ openLog }) =>
    new Silences(await openLog()).add(wish, now),
  ).catch((error: unknown) => {
    throw error instanceof SilenceRefused ? new UserError(error.message, SILENCE_REMEDY, 2) : error;
  });
  process.stdout.write(`Silenced until ${toSecond(millisToMicros(silence.until))}: ${silence.id}\n`);
  const idle = findIdle(
    rules ?? [],
    readSettings(options).alerts.rules.map(({ name }) => name),
  );
  if (idle.length > 0)
    process.stderr.write(`No rule in the settings matches ${toPrintable(idle.join(', '), 200)}.\n`);
}

async function liftSilence(id: string, options: SettingOptions): Promise<void> {
  const { Silences } = await import('../alerts/silences.js');
  const now = new SystemClock().now();
  const lifted = await withDatabase(options, async ({ openLog }) => {
    const silences = new Silences(await openLog());
    const own = id.replace(/^Silence:/, '');
    const held = (await silences.getSilences(now)).filter((silence) => silence.id.startsWith(own));
    return held.length === 1 && held[0] ? silences.lift(held[0].id, BY, now) : undefined;
  });
  if (lifted === undefined)
    throw new UserError(
      'That id matches no silence, or more than one.',
      '`hindsight alerts list` shows all silences.',
      2,
    );
  process.stdout.write(`Lifted ${lifted.id}.\n`);
}

function readEnd({ until, for: length }: SilenceOptions, now: Millis): Millis {
  if ((until === undefined) === (length === undefined))
    throw new UserError('A silence needs one end.', 'Give --until TIME, or --for 2h.', 2);
  if (length === undefined) {
    const end = microsToMillis(readMoment('--until', until ?? '', TIME_REMEDY));
    if (end <= now) throw new UserError('--until is in the past.', 'Give a time in the future.', 2);
    return end;
  }
  const ms = parseDuration(length);
  if (ms !== undefined && ms > 0) return now + ms;
  throw new UserError(`--for is not a valid length: ${toPrintable(length, 60)}`, LENGTH_REMEDY, 2);
}

async function sendTrial(id: string | undefined, options: SettingOptions): Promise<void> {
  const { sendNotice } = await import('../alerts/send-notice.js');
  const settings = readSettings(options);
  const destinations = findDestinations(settings.alerts.destinations, id);
  const notice = trialNotice(new SystemClock().now(), settings.publicUrl);
  const stop = catchStopSignals();
  const http = new HttpClient();
  const failed: string[] = [];
  try {
    for (const destination of destinations) {
      const failure = await sendNotice(http, destination, notice, stop.signal);
      stop.signal.throwIfAborted();
      if (failure) failed.push(`${destination.id} (${failure.detail})`);
      else process.stdout.write(`${destination.id} accepted the message.\n`);
    }
  } finally {
    await http.close();
    stop.release();
  }
  if (failed.length === 0) return;
  throw new UserError(
    `The message was not accepted by ${failed.join(', ')}.`,
    'Check address and token under alerts in hindsight.yaml.',
  );
}

function findDestinations(
  all: readonly AlertDestination[],
  id: string | undefined,
): readonly AlertDestination[] {
  const chosen = id === undefined ? all : all.filter((destination) => destination.id === id);
  if (chosen.length > 0) return chosen;
  const missing =
    all.length === 0 ? 'The settings name no destination.' : 'The settings name no such destination.';
  throw new UserError(missing, 'List them under alerts.destinations in hindsight.yaml.', 2);
}

function trialNotice(now: Millis, publicUrl: string | undefined): Message {
  const alert: Alert = {
    id: `${TRIAL_RULE}-${now}`,
    rule: TRIAL_RULE,
    severity: 'WARNING',
    owner: TRIAL_RULE,
    chain: null,
    nodes: [],
    since: now,
    reason: 'A test of this destination.',
    words: { title: 'A trial', means: 'Nothing is wrong.', remedy: 'There is nothing to do.' },
    ...(publicUrl !== undefined && { link: publicUrl }),
  };
  return { key: `${alert.id}-raised`, alert, status: 'RAISED', until: null, at: now };
}
