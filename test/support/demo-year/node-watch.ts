import type { BlockDraft } from '../../../src/domain/blocks/block-draft.js';
import type { NewEvent, SourceState } from '../../../src/domain/events.js';
import { NOT_AGGREGATOR } from '../../../src/domain/node-interface/da-claims.js';
import { type ProbeFact, summariseLatency } from '../../../src/domain/probe-facts.js';
import type { Millis } from '../../../src/domain/time.js';
import { BlockWatch } from './block-watch.js';
import type { Dice } from './dice.js';
import { ListWatch } from './list-watch.js';
import type { YearBlock, YearTurn } from './year-chain.js';
import { type YearEvent, YearLooks } from './year-event.js';
import { YEAR_NAMESPACES, type YearRow } from './year-rows.js';
import { YEAR_CHAIN } from '../../../src/cli/demo-year.js';
import { HOUR, type Span } from './year-story.js';

export interface Absence extends Span {
  /** The node could not be reached, or was not monitored. */
  readonly kind: 'UNREACHABLE' | 'UNWATCHED';
  /** Time at which the node was restarted meanwhile: rows from before are gone. */
  readonly restartAt?: Millis;
}

const GONE = 'connect ECONNREFUSED';
const UP: ProbeFact = { outcome: 'OK', statusCode: 200, detail: '', latencyMs: 3.1 };
const DOWN: ProbeFact = { outcome: 'REFUSED', statusCode: null, detail: GONE, latencyMs: null };
/** Iterations per summary of the probes. */
const SUMMED_EACH = 6;

/** Records everything about one node, as its observers would. */
export class NodeWatch {
  readonly events: YearEvent[] = [];
  private readonly looks = new YearLooks();
  private readonly list: ListWatch;
  private readonly blocks: BlockWatch;
  private readonly unseen: YearTurn[] = [];
  private absence: Absence | undefined;
  private summedTo: Millis;
  private turns = 0;
  private at: Millis;

  /** @param from time of the first poll */
  constructor(
    private readonly id: string,
    from: Millis,
    drafts: ReadonlyMap<YearBlock, BlockDraft>,
    private readonly dice: Dice,
    private readonly absences: readonly Absence[] = [],
  ) {
    this.blocks = new BlockWatch(drafts);
    this.list = new ListWatch(this.looks, (event) => this.append('submissions', event));
    this.at = this.summedTo = from;
  }

  /** The settings begin to name the node, and it is polled for the first time. */
  begin(isLeader: boolean): void {
    const { at } = this;
    // An address that does not exist.
    const body = { url: `http://${this.id}.invalid:7331` };
    this.append('node', { type: 'NodeRegistered', observedAt: at, body });
    this.changeProbes(at + 400, UP, this.looks.take('probes', at + 400));
    this.list.turn(at + 600, isLeader);
    this.describe(at + 700, isLeader);
    this.claim(at + 800, isLeader ? 'healthy' : 'n/a');
  }

  /** Time of the last record. */
  get lastAt(): Millis {
    return this.at;
  }

  /** Records one iteration of the chain. */
  see(turn: YearTurn): void {
    const absence = this.absences.find(({ from, to }) => turn.at >= from && turn.at < to);
    if (this.absence && absence !== this.absence) this.comeBack(this.absence);
    if (absence && absence !== this.absence) this.leave(absence);
    if (this.absence) this.unseen.push(turn);
    else this.look(turn.blocks, turn.rows, turn.doneAt, turn.leader === this.id);
  }

  /** The node begins or stops leading. */
  turnOver(at: Millis, isLeader: boolean): void {
    this.watched(at);
    this.list.turn(at + 900, isLeader);
    this.claim(at + 2_000, isLeader ? 'healthy' : 'n/a');
    this.describe(at + 5_000, isLeader);
    this.at = at + 6_000;
  }

  /** Records a new status of the DA layer, as the node claims it. */
  claim(at: Millis, status: string): void {
    const body =
      status === 'n/a'
        ? { connection_status: status, ...NOT_AGGREGATOR, status }
        : { is_healthy: status === 'healthy', connection_status: 'connected', status };
    const looks = this.looks.take('claims', at);
    this.append('claims', { type: 'DaHealthClaimed', observedAt: at, body: { looks, status, body } });
  }

  /** The settings no longer name the node. */
  retire(at: Millis): void {
    this.watched(at - 1_000);
    this.append('node', { type: 'NodeRetired', observedAt: at, body: {} });
  }

  private look(
    blocks: readonly YearBlock[],
    rows: readonly YearRow[],
    doneAt: Millis,
    isLeader: boolean,
  ): void {
    const last = blocks.at(-1);
    const isPosted = (row: YearRow): boolean => last === undefined || row.at < last.at + 5_000;
    const late = rows.findIndex((row) => !isPosted(row));
    const atOnce = late < 0 ? rows : rows.slice(0, late);
    const delay = (): Millis => this.dice.between(200, 1_900);
    if (isLeader) this.list.see(atOnce, delay);
    if (last) {
      this.at = Math.max(this.at, last.at, this.list.at) + this.dice.between(700, 2_600);
      this.push('blocks', this.blocks.record(blocks, this.at, this.looks.take('blocks', this.at)));
    }
    if (isLeader) this.list.see(rows.slice(atOnce.length), delay);
    this.at = Math.max(this.at, doneAt + 2_000, this.list.at) + this.dice.between(100, 4_900);
    this.push('blocks', this.blocks.follow(this.at, this.looks.take('blocks', this.at), isLeader));
    this.turns += 1;
    if (this.turns % SUMMED_EACH === 0) this.sumUpProbes(this.at + 200);
    this.watched(this.at + 400);
  }

  /** Polls without news. */
  private watched(at: Millis): void {
    const looks = {
      submissions: this.list.lookAgain(at),
      blocks: this.looks.take('blocks', at + 30),
      probes: this.looks.take('probes', at + 60),
      claims: this.looks.take('claims', at + 90),
    };
    this.append('node', { type: 'NodeWatched', observedAt: at + 90, body: { looks } });
    this.at = at + 100;
  }

  private leave(absence: Absence): void {
    this.absence = absence;
    this.watched(Math.max(this.at, absence.from));
    if (absence.kind === 'UNWATCHED') return;
    const at = this.at + 1_000;
    this.changeProbes(at, DOWN, this.looks.takeFailed('probes', at));
    this.list.fail(at + 500, 'UNREACHABLE' satisfies SourceState, GONE);
    for (let later = at + HOUR; later < absence.to; later += HOUR) {
      const looks = {
        submissions: { ...this.looks.takeFailed('submissions', later), lists: [] },
        probes: this.looks.takeFailed('probes', later + 100),
      };
      this.append('node', { type: 'NodeWatched', observedAt: later + 100, body: { looks } });
    }
  }

  private comeBack(absence: Absence): void {
    const missed = this.unseen.splice(0, Infinity);
    const doneAt = Math.max(absence.to, ...missed.map((turn) => turn.doneAt)) + 1_000;
    this.absence = undefined;
    this.at = this.summedTo = doneAt;
    const rows = missed.flatMap((turn) => turn.rows);
    const blocks = missed.flatMap((turn) => turn.blocks);
    this.looks.pause('blocks', 'claims');
    if (absence.kind === 'UNWATCHED') this.looks.forget();
    else this.changeProbes(doneAt, UP, this.looks.takeFailed('probes', doneAt));
    const { restartAt } = absence;
    if (restartAt === undefined) this.list.comeBack(doneAt + 300, rows);
    else {
      const shown = rows.filter(({ at }) => at >= restartAt);
      this.list.restart(doneAt + 300, shown, rows.length - shown.length);
    }
    this.look(blocks, [], doneAt + 1_500, true);
  }

  private changeProbes(at: Millis, fact: ProbeFact, looks: ReturnType<YearLooks['take']>): void {
    const facts = [
      ['reachable', { ...fact, statusCode: null }],
      ['live', fact],
      ['ready', fact],
      ['status', { ...fact, catchingUp: fact.outcome === 'OK' ? false : null }],
    ] as const;
    facts.forEach(([probe, each], index) => {
      const same = { first: at, last: at, count: 0, longestGapMs: 0 };
      const body = { looks: index === 0 ? looks : same, probe, ...each };
      this.append('probes', { type: 'ProbeChanged', observedAt: at, body });
    });
  }

  private sumUpProbes(at: Millis): void {
    const looks = this.looks.take('probes', at);
    const count = Math.max(1, Math.round((at - this.summedTo) / 5_000));
    const one = () => {
      const latency = summariseLatency([2, 3, 3, 4, 9].map((least) => least + this.dice.below(300) / 100));
      return { ok: count, failed: 0, latency: latency && { ...latency, count } };
    };
    const body = {
      looks,
      from: this.summedTo,
      to: at,
      probes: { reachable: one(), live: one(), ready: one() },
    };
    this.append('probes', { type: 'ProbesSummarised', observedAt: at, body });
    this.summedTo = at;
  }

  private describe(at: Millis, isLeader: boolean): void {
    const body = {
      chain: YEAR_CHAIN,
      servicePrefix: 'evnode.v1',
      shape: 'EV_NODE',
      aggregator: isLeader,
      headerNamespace: YEAR_NAMESPACES.header,
      dataNamespace: YEAR_NAMESPACES.data,
    } as const;
    this.append('node', { type: 'NodeDescribed', observedAt: at, body });
  }

  private push(subject: string, events: readonly NewEvent[]): void {
    for (const event of events) this.append(subject, event);
  }

  private append(subject: string, event: NewEvent): void {
    this.events.push({ stream: `${this.id}/${subject}`, event });
  }
}
