import type { ComponentChildren } from 'preact';
import { toPrintable } from '../../domain/printable-text.js';
import type { ServiceQuery } from '../data/answers.gen.js';
import { SERVICE_QUESTION } from '../data/questions.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, zoneOf, type View } from '../data/view.js';
import { bytes, count, moment, timeSpan } from '../data/words.js';
import { FileLink } from './file-link.js';
import { MomentField } from './moment-field.js';
import { Search } from './search.js';
import { Troubles } from './troubles.js';

const LINKS = [
  ['/ide', 'Ask'],
  ['/docs', 'REST and files'],
] as const;
const NO_QUERY = new URLSearchParams();
/** From this lag on, a page reports it at the top. */
const TOLD_FROM_S = 60;
/** More days of disk space than anybody plans for. */
const MOST_DAYS = 3_650;

/** Parameters that put a page at a past moment, and their words. */
export type Past = readonly (readonly [name: string, words: string])[];
const PAST: Past = [
  ['asOf', 'As of'],
  ['knownAt', 'As known at'],
];

/** Draws the parts that all pages share: name, search, time machine, zone, and footer. */
export function Shell(given: {
  readonly view: View;
  readonly past?: Past;
  readonly children: ComponentChildren;
}) {
  const { view, past = PAST, children } = given;
  const { answer, error } = useAnswer<ServiceQuery>(...SERVICE_QUESTION);
  const version = document.querySelector('meta[name=version]')?.getAttribute('content');
  return (
    <>
      <header>
        <div class="top">
          <a class="name" href={linkTo([])}>
            Hindsight
          </a>
          <Search view={view} />
          <ZoneSwitch view={view} chains={answer?.chains ?? []} />
        </div>
      </header>
      <TimeMachine view={view} past={past} />
      <main>
        <Troubles />
        {answer && !error && <Behind service={answer.service} />}
        {children}
      </main>
      <footer class="quiet">
        <span>Hindsight {version}</span>
        {LINKS.map(([href, name]) => (
          <a key={href} href={href}>
            {name}
          </a>
        ))}
        {/* Every client of the API may read metrics, with the key of the session if one is needed. */}
        {answer && (
          <FileLink path="/metrics" query={NO_QUERY}>
            Metrics
          </FileLink>
        )}
        {error && <span>Lag and disk: unknown</span>}
        {answer && !error && <ServiceWords service={answer.service} />}
      </footer>
    </>
  );
}

/** The zone for times: UTC, that of a chain, or the reader's. */
function ZoneSwitch({ view, chains }: { readonly view: View; readonly chains: ServiceQuery['chains'] }) {
  const given = view.get('zone');
  const zones = new Set(chains.map(({ reportingTimeZone }) => reportingTimeZone));
  zones.delete('UTC');
  // The address can name any zone.
  if (given !== 'mine' && zoneOf(view) === given && given !== 'UTC') zones.add(given);
  return (
    <label>
      Times in{' '}
      <select
        value={given === 'UTC' ? '' : given}
        onChange={(event) => view.set({ zone: event.currentTarget.value })}
      >
        <option value="">UTC</option>
        {[...zones].toSorted().map((zone) => (
          <option key={zone} value={zone}>
            {zone}
            {nameChains(chains, zone)}
          </option>
        ))}
        <option value="mine">mine ({zoneOf({ get: () => 'mine' })})</option>
      </select>
    </label>
  );
}

function nameChains(chains: ServiceQuery['chains'], zone: string): string {
  const ids = chains.filter(({ reportingTimeZone }) => reportingTimeZone === zone).map(({ id }) => id);
  if (ids.length === 0) return '';
  return ` (${ids.length > 2 ? `${ids.length} chains` : ids.map((id) => toPrintable(id, 30)).join(', ')})`;
}

/** Says that the page does not show everything that was seen, for example after an upgrade while read models are rebuilt. */
function Behind({ service }: { readonly service: ServiceQuery['service'] }) {
  const late = (seconds: number | null): string | undefined =>
    seconds !== null && seconds >= TOLD_FROM_S ? timeSpan(seconds * 1_000) : undefined;
  const record = late(service.behindSeconds);
  const figures = late(service.statisticsBehindSeconds);
  if (record === undefined && figures === undefined) return null;
  return (
    <p class="panel trouble" role="status">
      Some recorded events are not shown yet.
      {record !== undefined && ` Nodes, rows and health are ${record} behind the log.`}
      {figures !== undefined && ` Figures and charts are ${figures} behind.`}
    </p>
  );
}

/** Hindsight's own state: the lag of its read models, and its disk. */
function ServiceWords({ service }: { readonly service: ServiceQuery['service'] }) {
  const { ready, reason, degraded, behindSeconds, statisticsBehindSeconds } = service;
  const { logBytesFloat, readModelBytesFloat, freeBytesFloat, daysLeft } = service;
  const behind = (value: number | null): string =>
    value === null ? 'unknown' : value === 0 ? 'none' : timeSpan(value * 1_000);
  return (
    <>
      <span>
        Behind the log: {behind(behindSeconds)}; statistics: {behind(statisticsBehindSeconds)}
      </span>
      <span>
        Disk: log {bytes(logBytesFloat)}, computed {bytes(readModelBytesFloat)}, free {bytes(freeBytesFloat)}
        {daysLeft !== null &&
          (daysLeft > MOST_DAYS ? ', for more than 10 years' : `, for ${count(Math.floor(daysLeft))} days`)}
      </span>
      {!ready && <strong>Not ready: {toPrintable(reason ?? 'unknown', 300)}</strong>}
      {degraded.map((sentence) => (
        <span key={sentence}>{toPrintable(sentence, 300)}</span>
      ))}
    </>
  );
}

/** Sets the whole page to a past moment; always visible while on. */
function TimeMachine({ view, past }: { readonly view: View; readonly past: Past }) {
  const zone = zoneOf(view);
  const set = past.filter(([name]) => view.get(name) !== '');
  const isOn = set.length > 0;
  const told = ([name, words]: Past[number]): string => {
    const text = view.get(name);
    return `${words.toLowerCase()} ${Number.isNaN(Date.parse(text)) ? 'no time' : moment(text, zone)}`;
  };
  return (
    <section class={`machine ${isOn ? 'on' : ''}`} aria-label="Past moment">
      <details>
        <summary>{isOn ? `Not now: ${set.map(told).join(', ')}` : 'Show a past moment'}</summary>
        {past.map(([name, words]) => (
          <MomentField
            key={name}
            name={words}
            value={view.get(name)}
            zone={zone}
            onSet={(text) => view.set({ [name]: text })}
          />
        ))}
      </details>
      {/* Only this button stays in sight while scrolling: the fields would take half a phone. */}
      {isOn && (
        <button type="button" onClick={() => view.set(Object.fromEntries(past.map(([name]) => [name, ''])))}>
          Back to now
        </button>
      )}
    </section>
  );
}
