import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { randomStory, type RandomLogOptions, type Story } from './random-log.js';
import { appendTo } from './record-log.js';

type Observed = Extract<RecordedEvent, { type: 'SubmissionsObserved' }>;

/**
 * A synthetic log over some days, with a second address of the same aggregator. It shows the same rows later, or only some of
 * them. Sometimes it names another chain, or shows blocks of another chain. Answers without a date make the times of rows
 * implausible.
 *
 * @param random uniform in [0, 1)
 */
export function twinLog(
  random: () => number,
  steps: number,
  options: Pick<RandomLogOptions, 'isTerse'> = {},
): RecordedEvent[] {
  return twinStory(random, steps, options).events;
}

/** The same log with its truth. */
export function twinStory(
  random: () => number,
  steps: number,
  options: Pick<RandomLogOptions, 'isTerse' | 'isStraight'> = {},
): Story {
  const { events, posts } = randomStory(random, steps, { pace: 300, ...options });
  return { events: new TwinLog(random, options.isTerse ?? false).run(events), posts };
}

class TwinLog {
  private readonly log: RecordedEvent[] = [];
  private readonly waiting: string[] = [];
  private sequence = 0;

  constructor(
    private readonly random: () => number,
    private readonly isTerse: boolean,
  ) {}

  run(events: readonly RecordedEvent[]): RecordedEvent[] {
    for (const event of events) {
      if (event.type === 'SubmissionsObserved') this.copyRows(event);
      else this.append(event.stream, event);
      if (event.type === 'NodeRegistered' && event.stream === 'aggregator/node') {
        this.append('twin/node', event);
      } else if (event.stream === 'aggregator/blocks' && this.random() < 0.4) {
        this.append('twin/blocks', this.random() < 0.9 ? event : ofOtherChain(event));
      } else if (this.random() < 0.03) {
        this.describe(event);
      }
    }
    return this.log;
  }

  private copyRows(event: Observed): void {
    this.append(event.stream, this.random() < 0.2 ? withoutDate(event) : event);
    for (const row of event.body.rows) if (this.random() < 0.8) this.waiting.push(row);
    if (this.random() < 0.3) return;
    const rows = this.waiting.splice(0).map((row) => (this.isTerse ? withoutHeight(row) : row));
    if (rows.length === 0) return;
    const copy = { ...event, body: { ...event.body, firstSequence: this.sequence + 1, rows } };
    this.sequence += rows.length;
    this.append('twin/submissions', this.random() < 0.3 ? withoutDate(copy) : copy);
  }

  private describe(event: RecordedEvent): void {
    const chain = this.random() < 0.7 ? 'made-up' : 'other';
    const url = `http://twin/${this.random()}`;
    this.append('twin/node', { ...event, type: 'NodeSettingsChanged', body: { url, chain } });
  }

  private append(stream: string, event: RecordedEvent): void {
    const { type, body, observedAt } = event;
    appendTo(this.log, stream, [{ type, body, observedAt: Number(observedAt / 1000n) } as NewEvent]);
  }
}

/** The second address does not report where its rows landed. */
function withoutHeight(row: string): string {
  const { height: _, blob_ids: __, ...told } = JSON.parse(row) as Record<string, unknown>;
  return JSON.stringify(told);
}

function withoutDate(event: Observed): Observed {
  const { nodeClock: _, ...looks } = event.body.looks;
  return { ...event, body: { ...event.body, looks } };
}

function ofOtherChain(event: RecordedEvent): RecordedEvent {
  return { ...event, body: { ...event.body, chain: 'other', lineage: 1 } } as RecordedEvent;
}
