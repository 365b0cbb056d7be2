import { BellOff, BookOpen, MessageSquarePlus, UserCheck } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import ACKNOWLEDGE from '../data/acknowledge.graphql?raw';
import ADD_NOTE from '../data/add-note.graphql?raw';
import type {
  AcknowledgeMutation,
  AcknowledgeMutationVariables,
  AddNoteMutation,
  AddNoteMutationVariables,
  SilenceNodesMutation,
  SilenceNodesMutationVariables,
} from '../data/answers.gen.js';
import { ask, hasKey } from '../data/ask.js';
import { nowMs } from '../data/now.js';
import SILENCE from '../data/silence.graphql?raw';
import { Icon } from './icon.js';
import { SendingError, useSending } from './sending.js';

const HOUR_MS = 3_600_000;
const NAME = 'hindsight-name';
/** Lengths of a silence on offer; hours. */
const HOURS = [1, 2, 8, 24];

/** The forms, with the names of their buttons. */
const NAMES = {
  acknowledge: 'Acknowledge',
  note: 'Add note',
  silence: 'Silence alerts of these nodes',
};

interface Actionable {
  readonly id: string;
  readonly open: boolean;
  readonly nodes: readonly { readonly nodeId: string }[];
  readonly acknowledgedBy: string | null;
  readonly runbook: string | null;
}

/** Buttons that acknowledge an incident, add a note to it, silence its alerts, and open its runbook. */
export function IncidentActions({
  incident,
  again,
}: {
  readonly incident: Actionable;
  readonly again: () => void;
}) {
  const [form, setForm] = useState<keyof typeof NAMES>();
  const [done, setDone] = useState('');
  const place = useRef<HTMLDivElement>(null);
  const { id, open, nodes, acknowledgedBy, runbook } = incident;
  const acknowledge = async (values: FormValues): Promise<void> => {
    const variables: AcknowledgeMutationVariables = { id, note: values.note, by: values.by };
    await ask<AcknowledgeMutation>(ACKNOWLEDGE, variables);
    setDone('Acknowledged.');
  };
  const addNote = async ({ note, by }: FormValues): Promise<void> => {
    const variables: AddNoteMutationVariables = { id, note: note.trim(), by };
    await ask<AddNoteMutation>(ADD_NOTE, variables);
    setDone('The note is in the timeline of the incident.');
  };
  const silence = async (values: FormValues): Promise<void> => {
    const matcher = { nodes: [...new Set(nodes.map(({ nodeId }) => asPattern(nodeId)))] };
    const until = new Date(nowMs() + values.hours * HOUR_MS).toISOString();
    const variables: SilenceNodesMutationVariables = { matcher, until, note: values.note, by: values.by };
    await ask<SilenceNodesMutation>(SILENCE, variables);
    setDone(`Alerts of these nodes are silenced for ${values.hours} h.`);
  };
  const toggle = (which: typeof form): void => {
    setDone('');
    setForm(form === which ? undefined : which);
  };
  return (
    <div class="actions" ref={place} tabIndex={-1}>
      <div class="tools">
        <button
          type="button"
          class="first"
          aria-expanded={form === 'acknowledge'}
          onClick={() => toggle('acknowledge')}
        >
          <Icon of={UserCheck} />
          {acknowledgedBy === null ? 'Acknowledge' : 'Acknowledge again'}
        </button>
        <button type="button" aria-expanded={form === 'note'} onClick={() => toggle('note')}>
          <Icon of={MessageSquarePlus} />
          Add a note
        </button>
        {open && (
          <button type="button" aria-expanded={form === 'silence'} onClick={() => toggle('silence')}>
            <Icon of={BellOff} />
            Silence
          </button>
        )}
        {runbook !== null && (
          <a class="button" href={runbook}>
            <Icon of={BookOpen} />
            Runbook
          </a>
        )}
        <span class="quiet" role="status">
          {done}
        </span>
      </div>
      {form !== undefined && (
        <ActionForm
          key={form}
          name={NAMES[form]}
          hasHours={form === 'silence'}
          needsNote={form === 'note'}
          send={{ acknowledge, note: addNote, silence }[form]}
          done={() => {
            setForm(undefined);
            // The form had the focus.
            place.current?.focus();
            again();
          }}
        />
      )}
    </div>
  );
}

/** The id of a node as a pattern of silences that matches this node alone. */
function asPattern(id: string): string {
  // A character of patterns in an id is matched by the pattern for one character.
  return id.replaceAll(/[*?]/g, '?');
}

interface FormValues {
  /** Null where an API key names the person. */
  readonly by: string | null;
  readonly note: string;
  readonly hours: number;
}

function ActionForm(given: {
  readonly name: string;
  readonly hasHours: boolean;
  readonly needsNote: boolean;
  readonly send: (values: FormValues) => Promise<void>;
  readonly done: () => void;
}) {
  const { name, hasHours, needsNote, send, done } = given;
  const [by, setBy] = useState(localStorage.getItem(NAME) ?? '');
  const [note, setNote] = useState('');
  const [hours, setHours] = useState(HOURS[1] ?? 1);
  const [state, start] = useSending();
  const submit = async (): Promise<void> => {
    await send({ by: hasKey() ? null : by, note, hours });
    if (!hasKey()) localStorage.setItem(NAME, by);
    done();
  };
  return (
    <form class="tools" onSubmit={(event) => start(submit, event)}>
      {!hasKey() && (
        <label>
          Your name
          <input required maxLength={60} value={by} onInput={(event) => setBy(event.currentTarget.value)} />
        </label>
      )}
      {hasHours && (
        <label>
          For
          <select value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
            {HOURS.map((each) => (
              <option key={each} value={each}>
                {each} h
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Note
        <input
          required={needsNote}
          maxLength={500}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </label>
      <button class="first" disabled={state === 'sending'}>
        {name}
      </button>
      <SendingError state={state} />
    </form>
  );
}
