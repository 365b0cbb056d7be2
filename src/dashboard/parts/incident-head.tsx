import { Clock } from 'lucide';
import { placeOf, problemOf } from '../../domain/health/trouble-titles.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentQuery } from '../data/answers.gen.js';
import { presentStateOf } from '../data/verdict.js';
import { moment, sentence } from '../data/words.js';
import { Ago, Since } from './ago.js';
import { Card } from './card.js';
import { Command } from './copy-button.js';
import { Icon } from './icon.js';
import { IncidentActions } from './incident-actions.js';
import { IncidentState } from './incident-state.js';
import { WithOptions } from './with-options.js';
import { lengthInWords, lengthOf } from './incident-table.js';

type Incident = NonNullable<IncidentQuery['incident']>;

/** The problem and its place, since when, and why. @param now the past moment shown, ISO 8601; undefined for the present */
export function IncidentHead(given: { readonly incident: Incident; readonly now: string | undefined }) {
  const { incident, now } = given;
  const { reason, means, endReason } = incident;
  const state = presentStateOf(incident);
  return (
    <header class="incident-head">
      <h1>
        {problemOf(incident)}: <bdi>{placeOf(incident)}</bdi>
      </h1>
      <p class="incident-when">
        <IncidentState incident={incident} />
        {state !== undefined && <span class={`ongoing ${state}`}>Ongoing</span>}
        <Duration incident={incident} now={now} />
      </p>
      <p class="lead">
        <bdi>{sentence(reason)}</bdi>
        {means !== null && ` ${means}`}
      </p>
      {endReason !== null && (
        <p class="lead">
          <strong>Outcome:</strong> <bdi>{sentence(endReason).replace(/^[A-Z]+(?=:)/, inLowerCase)}</bdi>
        </p>
      )}
    </header>
  );
}

const inLowerCase = (word: string): string => word.toLowerCase();

function Duration(given: { readonly incident: Incident; readonly now: string | undefined }) {
  const { incident, now } = given;
  const { from, to, lastSignAt } = incident;
  if (to !== null)
    return (
      <>
        <strong>Resolved after {lengthOf(incident, to)}</strong>
        <span class="quiet">
          <Icon of={Clock} /> {moment(from)} to {moment(to)}
        </span>
      </>
    );
  return (
    <>
      <strong>
        {lastSignAt !== null && 'Recovering after '}
        <Since at={from} until={lastSignAt ?? now} />
      </strong>
      <span class="quiet">
        <Icon of={Clock} /> since {moment(from)}
        {lastSignAt !== null && '; closes after 5 min without trouble'}
      </span>
    </>
  );
}

/** A claim of a node during the incident that was false. */
function Claim({ incident }: { readonly incident: Incident }) {
  const { claim, claimDifferedMs } = incident;
  if (claim === null) return null;
  const isOne = nodeIdsOf(incident).length === 1;
  return (
    <p class="quiet">
      Meanwhile {isOne ? 'the node' : 'one of the nodes'} reported “<bdi>{toPrintable(claim)}</bdi>”, which
      was false for {lengthInWords(claimDifferedMs)}
      {isOne ? '' : ' (sum of all nodes)'}.
    </p>
  );
}

/** The remedy with its command, the buttons, and who acknowledged the incident. */
export function WhatToDo(given: {
  readonly incident: Incident;
  readonly isPast: boolean;
  readonly again: () => void;
}) {
  const { incident, isPast, again } = given;
  const { to, remedy, command } = incident;
  return (
    <Card
      title={to === null ? 'What to do' : 'What to do if it happens again'}
      state={presentStateOf(incident) ?? ''}
    >
      <p>
        <WithOptions text={remedy ?? 'This version of Hindsight knows no remedy for this problem.'} />
      </p>
      <Command label="To check, run:" text={command} />
      {!isPast && <IncidentActions incident={incident} again={again} />}
      <Acknowledgements incident={incident} />
      <Claim incident={incident} />
    </Card>
  );
}

function Acknowledgements({ incident }: { readonly incident: Incident }) {
  const { acknowledgements, acknowledgementCount } = incident;
  return (
    <>
      {acknowledgementCount > acknowledgements.length && (
        <p>
          Acknowledged {acknowledgementCount} times; the first {acknowledgements.length} are listed.
        </p>
      )}
      {acknowledgements.map(({ by, at, note }) => (
        <p key={at}>
          Acknowledged by <bdi>{toPrintable(by)}</bdi> <Ago at={at} />
          {note !== '' && (
            <>
              : <bdi>{toPrintable(note)}</bdi>
            </>
          )}
        </p>
      ))}
    </>
  );
}
