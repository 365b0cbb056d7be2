import { type Command, Option } from 'commander';
import type { AlertScope } from '../domain/alerts/alert-scope.js';
import type { AlertDestination } from '../domain/alerts/destinations.js';
import { toPrintable } from '../domain/printable-text.js';
import { microsToMillis, millisToMicros, type Millis } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import { onConnection } from '../platform/sql.js';
import { parseDuration } from '../settings/values.js';
import { findIdle } from '../domain/alerts/alert-scope.js';
import { COMMAND_LINE } from './command-line.js';
import {
  alertsToJson,
  printOpen,
  printReplay,
  printRules,
  printSilences,
  printUnjudged,
} from './alerts-table.js';
import { addJsonOption, type JsonOptions } from './json.js';
import { readMoment, readPast, readRange, toSecond } from './moments.js';
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

const REPLAY_REMEDY = 'Give --dry-run --from TIME [--to TIME]; or use list, test, silence or unsilence.';
const LENGTH_REMEDY = 'Write it as 90s, 30m or 12h, up to 720h. For longer give --until TIME.';
const SILENCE_REMEDY =
  'Name fewer, or use patterns like prod-*; or lift a silence that is not needed: `hindsight alerts list` shows them.';

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
  addDatabaseOptions(addJsonOption(list)).action(() => listAll(list.optsWithGlobals()));
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

async function listAll(options: SettingOptions & JsonOptions): Promise<void> {
  const { AlertBook } = await import('../alerts/alert-book.js');
  const { findUnevaluable } = await import('../alerts/condition-sampler.js');
  const { rules } = readSettings(options).alerts;
  const now = new SystemClock().now();
  const [ledger, unjudged] = await withDatabase(options, async ({ dataSource, openLog }) => [
    await new AlertBook(await openLog()).read(),
    await findUnevaluable(dataSource, rules, now),
  ]);
  const silences = ledger.silencesAt(now);
  if (options.json) {
    process.stdout.write(alertsToJson({ rules, unjudged, silences, open: ledger.open }));
    return;
  }
  const parts = [printRules(rules), printUnjudged(unjudged), printSilences(silences), printOpen(ledger.open)];
  process.stdout.write(parts.filter((part) => part !== '').join('\n'));
}

async function replayTime(options: ReplayOptions): Promise<void> {
  if (options.dryRun !== true || options.from === undefined) {
    throw new UserError('A dry run needs --dry-run and --from.', REPLAY_REMEDY, 2);
  }
  const { replayPast } = await import('./alerts-replay.js');
  const { findPositionAt } = await import('../statistics/read/plan/log-position.query.js');
  const { from, to } = options;
  const now = millisToMicros(new SystemClock().now());
  const { fromUs, toUs } = readRange({ from, to }, now);
  const knownAtUs = options.knownAt && readPast('--known-at', options.knownAt, now);
  const { rules, maintenance } = readSettings(options).alerts;
  const replay = await withDatabase(options, async ({ dataSource }) => {
    const knownAt = knownAtUs
      ? await onConnection(dataSource, (query) => findPositionAt(query, knownAtUs))
      : undefined;
    return replayPast(dataSource, { rules, maintenance, fromUs, toUs: toUs < now ? toUs : now, knownAt });
  });
  process.stdout.write(printReplay(replay));
}

async function addSilence(options: SilenceOptions): Promise<void> {
  const { Silences, SilenceRefused } = await import('../alerts/silences.js');
  const now = new SystemClock().now();
  const until = readEnd(options, now);
  const { rules, nodes, chains, note = '' } = options;
  const requested = { scope: { rules, nodes, chains }, until, note, by: COMMAND_LINE };
  const silence = await withDatabase(options, async ({ openLog }) =>
    new Silences(await openLog()).add(requested, now),
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
    return held.length === 1 && held[0] ? silences.lift(held[0].id, COMMAND_LINE, now) : undefined;
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
    throw new UserError('A silence needs exactly one end.', 'Give either --until TIME or --for 2h.', 2);
  if (length === undefined) {
    const end = microsToMillis(readMoment('--until', until ?? ''));
    if (end <= now) throw new UserError('--until is in the past.', 'Give a time in the future.', 2);
    return end;
  }
  const ms = parseDuration(length);
  if (ms !== undefined && ms > 0) return now + ms;
  throw new UserError(`--for is not a valid length: ${toPrintable(length, 60)}`, LENGTH_REMEDY, 2);
}

async function sendTrial(id: string | undefined, options: SettingOptions): Promise<void> {
  const { sendTrials } = await import('../alerts/trial.js');
  const { alerts, publicUrl } = readSettings(options);
  const destinations = findDestinations(alerts.destinations, id);
  const stop = catchStopSignals();
  const http = new HttpClient();
  const failed: string[] = [];
  try {
    const trial = { now: new SystemClock().now(), publicUrl };
    for (const { destination, failure } of await sendTrials(http, destinations, trial, stop.signal)) {
      if (failure !== undefined) failed.push(`${destination} (${failure})`);
      else process.stdout.write(`${destination} accepted the message.\n`);
    }
    stop.signal.throwIfAborted();
  } finally {
    await http.close();
    stop.release();
  }
  if (failed.length === 0) return;
  throw new UserError(
    `The message was not accepted by ${failed.join(', ')}.`,
    'Check the address and the token under alerts in hindsight.yaml.',
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
