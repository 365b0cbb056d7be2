/** One line of the table: what was measured, what it is compared with, and what it has to be. */
export interface Figure {
  readonly what: string;
  /** Ours, with its unit, as it is to be printed. */
  readonly ours: string;
  /** The same of the peer; left out where there is none. */
  readonly peer?: string;
  /** Ours against the peer, or the bare value that the limit is about. */
  readonly value?: number;
  /** A figure that misses its limit fails the run; one that misses an aim does not. */
  readonly limit?: Bound;
  readonly aim?: Bound;
  /** What it is made of; printed below the table. */
  readonly detail?: string;
}

/** One end of what a value may be. */
type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** What a bench measures, and how. */
export interface Bench {
  /** In a few words; `bench/README.md` says the rest. */
  readonly about: string;
  run(options: BenchOptions): Promise<Figure[]>;
}

/** What can be asked of the benches on the command line. */
export interface BenchOptions {
  /** Length of those that watch nodes over a time; each has its own default. */
  readonly seconds: number | undefined;
  /** Simulated nodes of `many-nodes`. */
  readonly nodes: number | undefined;
}

export type Verdict = 'ok' | 'MISSED' | 'aim reached' | 'aim missed' | '';

/** How many rows a bench fills: those of the variable, for another run than usual, else the usual ones. */
export function readRows(variable: string, fallback: number): number {
  const rows = Number(process.env[variable] ?? fallback);
  if (!Number.isSafeInteger(rows) || rows < 1) throw new Error(`${variable} is not a whole number above 0`);
  return rows;
}

/** Whether a figure is within its limit, else its aim; empty where it is only stated. */
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

/** A number with as many digits as mean anything. */
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
