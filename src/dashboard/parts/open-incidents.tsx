import { BellOff } from 'lucide';
import { duration } from '../../domain/health/health-rule.js';
import { QUIET_MS } from '../../domain/health/trouble.js';
import { placeOf, problemOf } from '../../domain/health/trouble-titles.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { OpenIncidentsQuery } from '../data/answers.gen.js';
import { groupByCause } from '../data/follows.js';
import { nowMs } from '../data/now.js';
import { silencedUntil } from '../data/silenced.js';
import { linkTo } from '../data/view.js';
import { presentStateOf } from '../data/verdict.js';
import { sentence, shortMoment } from '../data/words.js';
import { Since } from './ago.js';
import { Card } from './card.js';
import { Command } from './copy-button.js';
import { Icon } from './icon.js';
import { IncidentActions } from './incident-actions.js';
import { IncidentState } from './incident-state.js';
import { WithOptions } from './with-options.js';

type OpenIncident = OpenIncidentsQuery['incidents']['nodes'][number];

/** Open incidents as cards, worst first; trouble that follows from another incident is listed below it. */
export function OpenIncidents(given: {
  readonly answer: OpenIncidentsQuery;
  readonly roleOf: (nodeId: string) => boolean | null;
  readonly isPast: boolean;
  /** The moment shown, ISO 8601. */
  readonly now: string;
  readonly again: () => void;
}) {
  const { answer, roleOf, isPast, now, again } = given;
  const title = (incident: OpenIncident) => <Title incident={incident} now={isPast ? now : undefined} />;
  const { nodes, pageInfo } = answer.incidents;
  if (nodes.length === 0) return null;
  return (
    <section aria-label="Open incidents">
      {groupByCause(nodes, roleOf).map(({ incident, following }) => (
        <Card
          key={incident.id}
          state={presentStateOf(incident)}
          name={`${problemOf(incident)}: ${placeOf(incident)}`}
          title={title(incident)}
        >
          {incident.lastSignAt === null && <Matter incident={incident} />}
          {following.length > 0 && (
            <ul class="following" aria-label="Follows from it">
              {following.map((other) => (
                <li key={other.id}>{title(other)}</li>
              ))}
            </ul>
          )}
          {!isPast && <Silenced until={silencedUntil(incident, answer.silences)} />}
          {!isPast && incident.lastSignAt === null && <IncidentActions incident={incident} again={again} />}
        </Card>
      ))}
      {pageInfo.hasNextPage && <a href={linkTo(['incidents'])}>More open incidents</a>}
    </section>
  );
}

/** Says until when the alerts of an incident are silenced. @param until ISO 8601; undefined if they are not */
function Silenced({ until }: { readonly until: string | undefined }) {
  if (until === undefined) return null;
  return (
    <p class="quiet">
      <Icon of={BellOff} /> Silenced until {shortMoment(Date.parse(until), nowMs())}
    </p>
  );
}

/** The problem in words, the person who acknowledged it, and the remedy. */
function Matter({ incident }: { readonly incident: OpenIncident }) {
  const { reason, acknowledgedBy, remedy, command } = incident;
  return (
    <>
      <p>
        <bdi>{sentence(reason)}</bdi>
      </p>
      {acknowledgedBy !== null && (
        <p class="quiet">
          Acknowledged by <bdi>{toPrintable(acknowledgedBy)}</bdi>
        </p>
      )}
      {remedy !== null && (
        <p>
          <strong>What to do:</strong> <WithOptions text={remedy} />
        </p>
      )}
      <Command label="To check, run:" text={command} />
    </>
  );
}

/** The problem and place of an incident, and how long it has lasted. @param now the past moment shown */
function Title({ incident, now }: { readonly incident: OpenIncident; readonly now: string | undefined }) {
  const { id, from, lastSignAt } = incident;
  return (
    <span class="incident-title">
      <IncidentState incident={incident} />
      <a href={linkTo(['incident', id])}>
        {problemOf(incident)}: <bdi>{placeOf(incident)}</bdi>
      </a>
      <small>
        {lastSignAt === null ? 'for ' : 'lasted '}
        <Since at={from} until={lastSignAt ?? now} />, since {shortMoment(Date.parse(from), nowMs())}
        {lastSignAt !== null && `; closes after ${duration(QUIET_MS)} without trouble`}
      </small>
    </span>
  );
}
