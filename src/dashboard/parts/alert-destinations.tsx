import { Send } from 'lucide';
import { useState } from 'preact/hooks';
import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { AlertsQuery, TestAlertMutation, TestAlertMutationVariables } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import TEST from '../data/test-alert.graphql?raw';
import { inWords } from '../data/words.js';
import { Ago } from './ago.js';
import { FactList } from './facts.js';
import { Icon } from './icon.js';
import { useSending } from './sending.js';
import { StateBadge } from './state-badge.js';
import { Table } from './table.js';

/** The server waits for the answers of destinations for 15 s. */
const PATIENCE_MS = 25_000;
/** Deliveries shown at first: the latest ones. */
const FIRST = 5;

type Destination = AlertsQuery['alertDestinations'][number];
type Delivery = Destination['deliveries'][number];

/** The destinations of alerts: what was delivered, what failed and why, and a button for a test message. */
export function AlertDestinations(given: {
  readonly destinations: readonly Destination[];
  readonly again: () => void;
}) {
  return (
    <section class="destinations" aria-label="Destinations">
      {given.destinations.map((destination) => (
        <DestinationCard key={destination.id} {...given} destination={destination} />
      ))}
    </section>
  );
}

function DestinationCard(given: { readonly destination: Destination; readonly again: () => void }) {
  const { destination, again } = given;
  const { id, kind, remindMs, pending, deliveries } = destination;
  const [isWhole, showWhole] = useState(false);
  const name = toPrintable(id, 60);
  const failed = deliveries.filter(({ outcome }) => outcome !== 'DELIVERED').length;
  const shown = isWhole ? deliveries : deliveries.slice(0, FIRST);
  return (
    <Table
      stacks
      name={`Destination ${name}`}
      title={
        <>
          <bdi>{name}</bdi> <small>{kind}</small>
        </>
      }
      actions={<Test id={id} name={name} again={again} />}
      none={
        pending === 0
          ? 'Nothing has been sent yet. A test message shows whether messages arrive.'
          : 'No message has been accepted yet. A test message shows why.'
      }
      rows={shown}
      columns={[
        { name: 'Result', cell: outcomeOf },
        { name: 'When', cell: ({ at }) => <Ago at={at} /> },
        { name: 'Message', cell: messageOf },
        {
          name: 'Error',
          cell: ({ error }) => error !== null && <bdi class="text">{toPrintable(error, 300)}</bdi>,
        },
      ]}
    >
      {deliveries.length > shown.length && (
        <p>
          <button type="button" onClick={() => showWhole(true)}>
            Show the last {deliveries.length}
          </button>
        </p>
      )}
      <FactList
        facts={[
          [
            'Failed among the last messages',
            deliveries.length === 0 ? undefined : `${failed} of ${deliveries.length}`,
          ],
          ['Not accepted yet', pending === 0 ? undefined : <Waiting number={pending} />],
          ['Reminders', remindMs === null ? 'none' : `every ${duration(remindMs)}`],
        ]}
      />
    </Table>
  );
}

/** Messages that a destination has not accepted: alerts that nobody receives. */
function Waiting({ number }: { readonly number: number }) {
  return <strong class="trouble">{number}, sent again until accepted</strong>;
}

function outcomeOf({ outcome }: Delivery) {
  return <StateBadge state={outcome === 'DELIVERED' ? 'HEALTHY' : 'CRITICAL'} name={inWords(outcome)} />;
}

/** Whether a message raised, reminded of or resolved an alert, and the alert. */
function messageOf({ key, alertId }: Delivery): string {
  const [kind = ''] = key.slice(alertId.length + 1).split('-');
  return `${kind} ${toPrintable(alertId, 60)}`;
}

/** A button that sends a test message, and says whether it was accepted. */
function Test({
  id,
  name,
  again,
}: {
  readonly id: string;
  readonly name: string;
  readonly again: () => void;
}) {
  const [state, send] = useSending();
  const test = async (): Promise<void> => {
    const variables: TestAlertMutationVariables = { destination: id };
    const { testAlert } = await ask<TestAlertMutation>(TEST, variables, AbortSignal.timeout(PATIENCE_MS));
    again();
    const failure = testAlert.find(({ accepted }) => !accepted);
    if (failure) throw new Error(`Not accepted: ${toPrintable(failure.error ?? 'unknown', 300)}`);
  };
  return (
    <span class="list">
      <span role="status" class={state instanceof Error ? 'trouble' : 'quiet'}>
        {state === 'sending' ? 'Sending…' : state === 'sent' ? 'Test message accepted' : state?.message}
      </span>
      <button
        type="button"
        disabled={state === 'sending'}
        aria-label={`Send test message to ${name}`}
        onClick={(event) => send(test, event)}
      >
        <Icon of={Send} />
        Send test message
      </button>
    </span>
  );
}
