import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/logger.js';
import { loadSettings } from '../../src/settings/settings.js';
import { startService } from '../../src/service.js';
import { ReportReader } from '../../src/statistics/read/report.reader.js';
import { round, type Figure } from './figures.js';
import { LogWriter, looksAt, rowsObserved } from './log-writer.js';
import { namespacesOf, sentRow } from './submission-texts.js';

const NODE = 'node-1';
const NUMBER = 1;
const DAY_MS = 86_400_000;
const EVERY_MS = 10_000;
const ROWS_AT_ONCE = 100;
const ROWS_PER_DAY = DAY_MS / EVERY_MS;
const LATE_ROWS = 12;
const WARM_UPS = 2;
const READ_EVERY_MS = 10;
const PATIENCE_MS = 60_000;

/**
 * Measures the time from appending a row of yesterday, which a node shows only now, to the day that counts it. A worker with its
 * own clocks, queue and pools runs in this process, and a reader requests the day all the time.
 */
export async function measureLateRow(dataSource: DataSource): Promise<Figure> {
  const databaseUrl = String((dataSource.options as { url?: string }).url);
  const settings = loadSettings({
    flags: { role: 'worker', port: '0', databaseUrl },
    env: {},
    file: undefined,
  });
  const story = new Story(dataSource);
  await story.begin();
  const service = await startService({
    settings,
    databaseUrl,
    clock: new SystemClock(),
    logger: createLogger('warn'),
    version: 'bench',
  });
  try {
    await story.untilCounted();
    const waits: number[] = [];
    for (let row = 0; row < LATE_ROWS; row++) {
      // A row arrives at any moment between two ticks of the worker.
      await sleep(137 * row);
      const startedAt = performance.now();
      await story.addLateRow();
      await story.untilCounted();
      if (row >= WARM_UPS) waits.push(performance.now() - startedAt);
    }
    const sorted = waits.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? Number.NaN;
    const pollMs = settings.poll.ceilingMs;
    return {
      what: 'a late row to the corrected day, against the poll interval',
      ours: `${round(median)} ms`,
      peer: `${round(pollMs)} ms`,
      value: median / pollMs,
      aim: { atMost: 1 },
      detail: `${waits.length} rows, ${round(sorted[0] ?? Number.NaN)} to ${round(sorted.at(-1) ?? Number.NaN)} ms; the day has ${ROWS_PER_DAY.toLocaleString('en')} rows`,
    };
  } finally {
    await service.close();
  }
}

/** A node that was monitored all yesterday. */
class Story {
  private readonly writer: LogWriter;
  private readonly reader: ReportReader;
  private readonly startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  private sequence = 0;

  constructor(dataSource: DataSource) {
    this.writer = new LogWriter(new EventStore(dataSource));
    this.reader = new ReportReader(dataSource);
  }

  async begin(): Promise<void> {
    await this.writer.introduce(NODE, NUMBER, 'bench-1', this.startMs);
    for (let at = this.startMs; at < this.startMs + DAY_MS; at += ROWS_AT_ONCE * EVERY_MS) {
      const end = Math.min(at + ROWS_AT_ONCE * EVERY_MS, this.startMs + DAY_MS);
      await this.add(
        at,
        Array.from({ length: (end - at) / EVERY_MS }, (_, row) => at + row * EVERY_MS),
        end,
      );
    }
  }

  /** Adds a row that the node made yesterday and shows only now: its list could not be read meanwhile. */
  addLateRow(): Promise<void> {
    return this.add(
      this.startMs,
      [this.startMs + ((this.sequence * 7_919_000) % DAY_MS)],
      this.startMs + DAY_MS + 1,
    );
  }

  /** Resolves when yesterday counts all rows. */
  async untilCounted(): Promise<void> {
    const givesUpAt = performance.now() + PATIENCE_MS;
    while ((await this.readDay()) !== BigInt(this.sequence)) {
      if (performance.now() > givesUpAt) throw new Error('The day was not corrected');
      await sleep(READ_EVERY_MS);
    }
  }

  private async readDay(): Promise<bigint> {
    const request = {
      filter: {},
      bucket: 'DAY',
      groupBy: [],
      fromUs: BigInt(this.startMs) * 1_000n,
      toUs: BigInt(this.startMs + DAY_MS) * 1_000n,
      nowUs: BigInt(this.startMs + 2 * DAY_MS) * 1_000n,
    } as const;
    const [day] = await this.reader.read(request, ['attempts']);
    return day?.attempts ?? 0n;
  }

  /** @param before the node's clock at the previous poll */
  private async add(before: number, times: readonly number[], at: number): Promise<void> {
    const rows = times.map((atMs, row) => this.textOf(atMs, row));
    const event = rowsObserved(rows, this.sequence + 1, at);
    const looks = { ...looksAt(at), nodeClockBefore: before };
    await this.writer.append(`${NODE}/submissions`, [
      { ...event, body: { ...event.body, looks } } as typeof event,
    ]);
    this.sequence += rows.length;
  }

  private textOf(atMs: number, row: number): string {
    const namespaces = namespacesOf(NUMBER);
    const isHeader = row % 2 === 0;
    return sentRow({
      daHeight: 1_000_000 + this.sequence + row,
      atMs,
      sizes: isHeader ? [366, 366] : [280],
      namespace: isHeader ? namespaces.header : namespaces.data,
    });
  }
}
