/** One line of the table: the measurement, its peer, and its bound. */
export interface Figure {
  readonly what: string;
  /** Hindsight's value with its unit, as printed. */
  readonly ours: string;
  /** The peer's value; absent without a peer. */
  readonly peer?: string;
  /** The ratio of Hindsight to the peer, or the plain value that the limit is about. */
  readonly value?: number;
  /** A figure that misses its limit fails the run; a missed aim does not. */
  readonly limit?: Bound;
  readonly aim?: Bound;
  /** The parts of the value, printed below the table. */
  readonly detail?: string;
}

type Bound = { readonly atLeast: number } | { readonly atMost: number };

export interface Bench {
  /** A few words; `bench/README.md` says the rest. */
  readonly about: string;
  run(options: BenchOptions): Promise<Figure[]>;
}

/** Options of the benches on the command line. */
export interface BenchOptions {
  /** Length of benches that monitor nodes over a time; each bench has its own default. */
  readonly seconds: number | undefined;
  /** Simulated nodes of `many-nodes`. */
  readonly nodes: number | undefined;
}

export type Verdict = 'ok' | 'MISSED' | 'aim reached' | 'aim missed' | '';

/** Number of rows that a bench fills: the value of the variable, or the default. */
export function readRows(variable: string, fallback: number): number {
  const rows = Number(process.env[variable] ?? fallback);
  if (!Number.isSafeInteger(rows) || rows < 1) throw new Error(`${variable} is not a whole number above 0`);
  return rows;
}

/** Whether a figure is within its limit, or else its aim; empty without either. */
export function judge({ value, limit, aim }: Figure): Verdict {
  if (value === undefined) return '';
  if (limit) return isWithin(value, limit) ? 'ok' : 'MISSED';
  if (aim) return isWithin(value, aim) ? 'aim reached' : 'aim missed';
  return '';
}

/** The figures as a table in Markdown. */
export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    figure.ours,
    figure.peer ?? '',
    figure.peer === undefined || figure.value === undefined ? '' : round(figure.value),
    describeBound(figure),
    judge(figure),
  ]);
  const head = ['what', 'ours', 'peer', 'ratio', 'limit', 'verdict'];
  const widths = head.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const details = figures.flatMap(({ what, detail }) =>
    detail === undefined ? [] : [`- ${what}: ${detail}`],
  );
  const notes = details.length > 0 ? ['', ...details] : [];
  return [line(head), rule, ...rows.map(line), ...notes].join('\n');
}

/** Rounds a number to its significant digits. */
export function round(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return Number(value.toPrecision(value >= 100 ? 3 : 2)).toString();
}

function describeBound({ limit, aim }: Figure): string {
  const bound = limit ?? aim;
  if (!bound) return '';
  const text = 'atLeast' in bound ? `>= ${round(bound.atLeast)}` : `<= ${round(bound.atMost)}`;
  return limit ? text : `aim ${text}`;
}

function isWithin(value: number, bound: Bound): boolean {
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
}
