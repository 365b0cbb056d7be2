import { Inject, Injectable } from '@nestjs/common';
import type { Nanos } from '../../domain/time.js';
import { bytesToRead, readEventBatches, readEventSizes } from '../../event-log/event-batches.js';
import { type EventHead, walkLog } from '../../event-log/log-walk.js';
import { tooLarge } from '../../platform/reads/text-budget.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import { redactText } from '../../platform/redact.js';
import type { Database } from '../../platform/sql.js';
import { findPositionAt } from '../../statistics/read/plan/log-position.query.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { codecFor, cursorsOf, numbersOf, type PageRequest, type CursorKey } from '../graphql/keyed-list.js';
import { RawJson } from '../graphql/raw-json.js';
import { toNanos } from '../graphql/scalars.js';
import { LARGEST_ANSWER } from '../submissions/sent-rows.query.js';
import { Event, type EventFilter } from './event.type.js';
import { findStreams } from './event-streams.query.js';
import { rowId } from '../objects/row-id.js';

/** Log order. */
export const EVENT_KEY = numbersOf('e.position');
const CURSORS = cursorsOf<Pick<EventHead, 'position'>>('events', EVENT_KEY, ({ position }) => [position]);

/** Types whose addresses older logs store unmasked, including any password. */
const NAMING_ADDRESSES: ReadonlySet<string> = new Set(['NodeRegistered', 'NodeSettingsChanged']);

/** Positions of the log: `after` excluded, `upTo` included. */
interface PositionRange {
  readonly after: bigint;
  readonly upTo: bigint;
}

@Injectable()
export class EventsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** A page of events, ordered by position. It can be shorter than requested without being the last page. */
  async getEvents(filter: EventFilter, args: PagingArgs): Promise<Page<Event>> {
    const codec = codecFor(CURSORS, filter);
    const request = toPageRequest(args, codec);
    const { after, upTo } = await this.findSpan(filter, request);
    const way = request.backwards ? 'BACKWARDS' : 'FORWARDS';
    const question = {
      streams: await findStreams(this.reads, filter),
      types: filter.types ?? undefined,
      after,
      upTo,
    };
    const isNone = [question.streams, question.types].some((list) => list?.length === 0);
    const { heads, position } = isNone
      ? { heads: [], position: request.backwards ? after : upTo }
      : await walkLog(this.reads, this.options.clock, question, request.size + 1, way);
    const page = toPage(request, heads, codec, toEvent);
    // The search stopped early: a client that continues from this cursor misses nothing.
    if (!request.backwards && !page.pageInfo.hasNextPage && position < upTo) {
      const more = { hasNextPage: true, endCursor: codec.encode({ position }) };
      return { ...page, pageInfo: Object.assign(page.pageInfo, more) };
    }
    if (request.backwards && !page.pageInfo.hasPreviousPage && position > after) {
      const more = { hasPreviousPage: true, startCursor: codec.encode({ position: position + 1n }) };
      return { ...page, pageInfo: Object.assign(page.pageInfo, more) };
    }
    return page;
  }

  /**
   * Bodies as stored, by position; passwords in addresses are masked.
   * @throws ReadRefused LARGE if the bodies are too large for memory, FULL if other requests use too much of it
   */
  async getBodies(positions: readonly bigint[]): Promise<ReadonlyMap<bigint, RawJson>> {
    const bodies = new Map<bigint, RawJson>();
    let characters = 0;
    const sizes = await readEventSizes(this.reads, positions);
    const texts = new ReadTexts();
    await texts.hold(bytesToRead(sizes, LARGEST_ANSWER));
    for await (const rows of readEventBatches(this.reads, sizes)) {
      for (const { position, type, body } of rows) {
        characters += body.length;
        if (characters > LARGEST_ANSWER) throw tooLarge();
        bodies.set(position, new RawJson(NAMING_ADDRESSES.has(type) ? redactText(body) : body));
      }
    }
    texts.keep(characters);
    return bodies;
  }

  /** The positions that match the filter and the cursors. Recording times never decrease, so they map to positions. */
  private async findSpan(
    { positionFrom, positionTo, from, to }: EventFilter,
    cursors: Pick<PageRequest, 'after' | 'before'>,
  ): Promise<PositionRange> {
    const heads = await this.reads.query<{ position: bigint }[]>('SELECT position FROM log_head');
    const afters = [
      0n,
      positionOf(cursors.after),
      minusOne(positionFrom),
      await this.findPositionBefore(from),
    ];
    const ends = [
      heads[0]?.position ?? 0n,
      positionTo,
      minusOne(positionOf(cursors.before)),
      await this.findPositionBefore(to),
    ];
    return { after: largest(afters.filter(isGiven)), upTo: smallest(ends.filter(isGiven)) };
  }

  private async findPositionBefore(time: Nanos | null | undefined): Promise<bigint | undefined> {
    if (typeof time !== 'bigint') return undefined;
    const lastBefore = (time - 1n) / 1_000n;
    return findPositionAt((sql, parameters = []) => this.reads.query(sql, [...parameters]), lastBefore);
  }
}

function toEvent(head: EventHead): Event {
  const observedAt = toNanos(head.observedAt);
  const times = { time: observedAt, observedAt, recordedAt: toNanos(head.recordedAt) };
  return Object.assign(new Event(), head, times, { id: rowId('Event', head.position) });
}

function positionOf(place: CursorKey | undefined): bigint | undefined {
  return place && BigInt(place[0] ?? 0);
}

function minusOne(value: bigint | null | undefined): bigint | undefined {
  return typeof value === 'bigint' ? value - 1n : undefined;
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function largest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}

function smallest(values: readonly bigint[]): bigint {
  return values.reduce((least, value) => (value < least ? value : least));
}
