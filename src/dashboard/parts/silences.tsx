import { Bell } from 'lucide';
import { toPrintable } from '../../domain/printable-text.js';
import type { AlertsQuery, LiftSilenceMutation, LiftSilenceMutationVariables } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import LIFT from '../data/lift-silence.graphql?raw';
import { moment } from '../data/words.js';
import { Ago } from './ago.js';
import { Icon } from './icon.js';
import { SendingError, useSending } from './sending.js';
import { Table } from './table.js';

type Silence = AlertsQuery['silences'][number];

/** Silences in effect, each with a button that lifts it. */
export function Silences(given: { readonly silences: readonly Silence[]; readonly again: () => void }) {
  const { silences, again } = given;
  return (
    <Table
      stacks
      title="Silences"
      none="Nothing is silenced. An open incident has the button Silence."
      rows={silences}
      columns={[
        { name: 'Silenced', cell: (silence) => <bdi class="text">{matchedBy(silence)}</bdi> },
        { name: 'By', cell: ({ by }) => <bdi>{toPrintable(by, 60)}</bdi> },
        { name: 'Note', cell: ({ note }) => <bdi class="text">{toPrintable(note, 500)}</bdi> },
        { name: 'Since', cell: ({ from }) => <Ago at={from} /> },
        { name: 'Until', cell: ({ until }) => moment(until) },
        { name: 'Lift', cell: (silence) => <Lift key={silence.id} silence={silence} again={again} /> },
      ]}
    />
  );
}

/** The patterns of a silence in words. */
function matchedBy({ nodes, chains, rules }: Silence): string {
  const parts = [
    ['nodes', nodes],
    ['chains', chains],
    ['rules', rules],
  ] as const;
  const words = parts.flatMap(([name, patterns]) =>
    patterns === null ? [] : [`${name} ${patterns.map((pattern) => toPrintable(pattern, 60)).join(', ')}`],
  );
  return words.length === 0 ? 'everything' : words.join('; ');
}

function Lift({ silence, again }: { readonly silence: Silence; readonly again: () => void }) {
  const [state, send] = useSending();
  const lift = async (): Promise<void> => {
    const variables: LiftSilenceMutationVariables = { id: silence.id };
    await ask<LiftSilenceMutation>(LIFT, variables);
    again();
  };
  return (
    <>
      <button
        type="button"
        disabled={state === 'sending' || state === 'sent'}
        aria-label={`Lift the silence of ${matchedBy(silence)}`}
        onClick={(event) => send(lift, event)}
      >
        <Icon of={Bell} />
        Lift
      </button>
      <SendingError state={state} />
    </>
  );
}
