import { CircleX, Flag, MessageSquare, Unplug, UserCheck } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentEntry } from '../data/incident-entries.js';
import { linkTo } from '../data/view.js';
import { clock, day } from '../data/clock.js';
import { moment, sentence } from '../data/words.js';
import { Icon } from './icon.js';
import { IntervalLink } from './interval-link.js';
import { STATE_ICONS, StateBadge } from './state-badge.js';

/** Entries shown at first: the beginning and the end. */
const [FIRST, LAST] = [4, 16];
const MOST = 1_000;
/** The pages of submissions and nodes have whole texts. */
const LONGEST_TEXT = 300;

interface Given {
  readonly entries: readonly IncidentEntry[];
  readonly hasNodes: boolean;
  /** The present, or the moment shown, ISO 8601. */
  readonly now: string;
}

/** The events of an incident in order of time; those in the middle of a long list are folded. */
export function IncidentEvents({ entries, hasNodes, now }: Given) {
  const [isWhole, setWhole] = useState(false);
  const last = isWhole ? MOST - FIRST : LAST;
  const hidden = entries.length - FIRST - last;
  const rows = hidden > 1 ? [...entries.slice(0, FIRST), ...entries.slice(-last)] : entries;
  return (
    <ol class="events">
      {rows.map((entry, index) => (
        <>
          {hidden > 1 && index === FIRST && (
            <li class="fold">
              {isWhole ? (
                `${hidden} more entries are not shown`
              ) : (
                <button type="button" onClick={() => setWhole(true)}>
                  Show {hidden} more entries
                </button>
              )}
            </li>
          )}
          {(index === 0 || day(rows[index - 1]?.fromMs ?? 0) !== day(entry.fromMs)) && (
            <li class="day">{day(entry.fromMs)}</li>
          )}
          <Entry key={index} {...{ entry, hasNodes, now }} />
        </>
      ))}
    </ol>
  );
}

function Entry(given: Omit<Given, 'entries'> & { readonly entry: IncidentEntry }) {
  const { entry, hasNodes } = given;
  const { event, fromMs } = entry;
  const { icon, look } = iconOf(entry);
  const at = new Date(fromMs).toISOString();
  return (
    <li class={look}>
      <span class="event-icon">
        <Icon of={icon} />
      </span>
      <time dateTime={at} title={moment(at)}>
        {clock(fromMs)}
      </time>
      <div>
        {hasNodes && event.node !== '' && <bdi class="quiet">{toPrintable(event.node, 60)}</bdi>}
        <Words {...given} />
      </div>
    </li>
  );
}

function iconOf({ event: { kind, of } }: IncidentEntry) {
  if (kind === 'STATE') return { icon: STATE_ICONS[of.state], look: of.state };
  if (kind === 'FAILURE') return { icon: CircleX, look: 'CRITICAL' };
  if (kind === 'GAP') return { icon: Unplug, look: 'UNKNOWN' };
  return { icon: { END: Flag, ACKNOWLEDGED: UserCheck, NOTE: MessageSquare }[kind], look: '' };
}

const BESIDE_STATE = { before: ' · before its first sign', during: '', after: ' · after its end' };

function Words({ entry, now }: Omit<Given, 'entries'> & { readonly entry: IncidentEntry }) {
  const { event, count, fromMs, toMs } = entry;
  const { kind, node, of } = event;
  if (kind === 'END') return <p>End of the incident</p>;
  if (kind === 'ACKNOWLEDGED' || kind === 'NOTE')
    return (
      <>
        <p>
          {kind === 'NOTE' ? 'Note' : 'Acknowledged'} by <bdi>{toPrintable(of.by)}</bdi>
        </p>
        {of.note !== '' && <Detail>{toPrintable(of.note)}</Detail>}
      </>
    );
  if (kind === 'FAILURE') return <Failure entry={entry} />;
  const [from, to] = [new Date(fromMs).toISOString(), of.to ?? now];
  if (kind === 'GAP')
    return (
      <>
        <p>
          Gap in the record{times(count)}{' '}
          <small>
            <IntervalLink {...{ node, from, to }}>
              {of.from === null ? 'from the start' : toMs === undefined ? 'open' : lengthOf(fromMs, toMs)}
            </IntervalLink>
          </small>
        </p>
        <Detail>{sentence(of.explanation)}</Detail>
      </>
    );
  return (
    <>
      <p>
        <StateBadge state={of.state} />{' '}
        <small>
          <IntervalLink {...{ node, from, to }}>
            {toMs === undefined ? 'since then' : `for ${lengthOf(fromMs, toMs)}`}
          </IntervalLink>
          {BESIDE_STATE[event.when]}
        </small>
      </p>
      <Detail>{sentence(of.reason, LONGEST_TEXT)}</Detail>
    </>
  );
}

/** Failed attempts of one cause and message. */
function Failure({ entry }: { readonly entry: IncidentEntry }) {
  const { event, count, fromMs, toMs = fromMs } = entry;
  if (event.kind !== 'FAILURE') return null;
  const { id, cause, message } = event.of;
  const range = {
    from: new Date(fromMs).toISOString(),
    // The end of a range is excluded.
    to: new Date(toMs + 1).toISOString(),
  };
  const href =
    count === 1
      ? linkTo(['submission', id])
      : linkTo(['submissions'], { ...(event.node !== '' && { node: event.node }), ...range });
  const until = clock(toMs);
  return (
    <>
      <p>
        Failed: {cause?.title.replace(/\.$/, '') ?? 'cause unknown'}
        {times(count)}{' '}
        <small>
          {until !== clock(fromMs) && `until ${until}, `}
          <a href={href}>{count === 1 ? 'submission' : 'submissions'}</a>
        </small>
      </p>
      {message !== null && <Detail>{toPrintable(message, LONGEST_TEXT)}</Detail>}
    </>
  );
}

function Detail({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="quiet">
      <bdi>{children}</bdi>
    </p>
  );
}

function times(count: number): string {
  return count === 1 ? '' : `\u00a0×\u00a0${count}`;
}

function lengthOf(fromMs: number, toMs: number): string {
  return duration(toMs - fromMs);
}
