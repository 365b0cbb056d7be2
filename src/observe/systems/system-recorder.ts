import type { DaySpending } from '../../domain/byte-budget.js';
import type { DaNodeEvents, NewEvent, Subject } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { RpcAnswer } from '../../node-api/json-rpc.js';
import { carryPolls } from '../poll-book.js';
import { type RecorderParts, SubjectRecorder } from '../subject-recorder.js';
import { SystemPace } from './system-pace.js';

const AFTER_LOST_APPEND_MS: Millis = 200;

/** The end of a poll, as the events of systems have it. */
type Ended = Omit<DaNodeEvents['DaNodeChanged'], 'looks' | 'token'>;

/** The findings of one poll of a system. */
interface SystemPoll<S> extends Pick<Ended, 'outcome'> {
  readonly at: Millis;
  /** Events of this poll; the first one carries the polls before it. */
  readonly news: readonly NewEvent[];
  /** Events that were found apart from the polls. */
  readonly apart?: readonly NewEvent[];
  readonly state: () => S;
}

/** Records the polls of a system behind a node, and keeps its pace. */
export class SystemRecorder<S extends { readonly spent?: DaySpending }> {
  readonly pace = new SystemPace();
  private readonly recorder: SubjectRecorder<S>;

  constructor(
    subject: Subject,
    private readonly parts: RecorderParts,
  ) {
    this.recorder = new SubjectRecorder(subject, parts);
  }

  /** The state that was recorded last; undefined before the first. */
  async load(): Promise<S | undefined> {
    return (await this.recorder.load()).state;
  }

  /** @returns how long until the next poll is due */
  async record({ at, outcome, news, apart = [], state }: SystemPoll<S>): Promise<Millis> {
    const { book } = this.parts;
    const delay = this.pace.after(outcome);
    const poll = { at, nodeClock: undefined, isBlind: false };
    // A poll without news waits for an event that carries it.
    const carried = news.length > 0 ? { events: carryPolls(news, book.with(poll)), poll } : undefined;
    if (carried === undefined) book.note(at);
    if (news.length + apart.length === 0) return delay;
    const pauseMs = await this.recorder.record({
      at,
      ...carried,
      events: [...(carried?.events ?? []), ...apart],
      carryNoPolls: carried === undefined,
      state,
    });
    return pauseMs === undefined ? AFTER_LOST_APPEND_MS : Math.max(pauseMs, delay);
  }
}

/** The end of a poll by its first answer; undefined if the poll saw nothing: the system is busy, or we stop. */
export function endOf(answer: RpcAnswer<unknown>): Ended | undefined {
  if (answer.ok) return { outcome: 'OK', statusCode: 200, detail: '' };
  const { outcome, statusCode, detail, evidence } = answer;
  if (outcome === 'BUSY' || outcome === 'ABORTED') return undefined;
  return {
    // A method that every such system has, and that fails, is no usable answer.
    outcome: outcome === 'FAILED' ? 'INVALID' : outcome,
    statusCode,
    detail,
    ...(evidence !== undefined && { evidence }),
  };
}

/** Whether all that is known is so now, too. Texts for people, which are not among what is known, may differ. */
export function isAsKnown<T extends object>(known: T | undefined, now: T): boolean {
  if (known === undefined) return false;
  return Object.entries(known).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(now[name as keyof T]),
  );
}
