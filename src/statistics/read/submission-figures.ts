import { figureOf } from './figure-rules.js';
import { MEAN_SUMS, SUBMISSION_FIGURES, sumsOf } from './figures.js';
import { sumOf } from './plan/stored-rows.js';
import { sumColumns } from './plan/sums.query.js';

/** Sums that rows contain unchanged, for clients that add up rows. */
const PLAIN = ['measuredBlobs', 'measuredBytes', ...MEAN_SUMS] as const;

/** Every sum from which figures of submissions are computed. */
const COLUMNS = {
  ...sumColumns(sumsOf(SUBMISSION_FIGURES)),
  ...sumColumns(PLAIN),
  successes: `${sumOf('attempts')} FILTER (WHERE s.status = 0)`,
};
type SumName = keyof typeof COLUMNS;
type Sums = Readonly<Record<SumName, bigint>>;

/** A figure that is computed from sums of a row; only the sums that it names are there. */
interface Made<Value> {
  readonly of: readonly SumName[];
  readonly make: (sums: Sums) => Value;
}

/** The figures of submissions in rows of statistics, and how they are computed. */
const FIGURES = {
  ...ruled(),
  ...plain('successes', ...PLAIN),
  failures: {
    of: ['attempts', 'successes'],
    make: ({ attempts, successes }: Sums) => attempts - successes,
  },
  successRate: {
    of: ['attempts', 'successes'],
    make: ({ attempts, successes }: Sums) => (attempts === 0n ? null : Number(successes) / Number(attempts)),
  },
  averageBlobBytes: {
    of: ['measuredBlobs', 'measuredBytes'],
    make: ({ measuredBlobs, measuredBytes }: Sums) =>
      measuredBlobs === 0n ? null : Number(measuredBytes) / Number(measuredBlobs),
  },
} as const satisfies Readonly<Record<string, Made<bigint | number | null>>>;

export type SubmissionFigure = keyof typeof FIGURES;
export const ALL_SUBMISSION_FIGURES = Object.keys(FIGURES) as SubmissionFigure[];

/** The figures of a row's submissions; null if not known. */
export type SubmissionFigures = {
  readonly [Name in SubmissionFigure]: ReturnType<(typeof FIGURES)[Name]['make']> | null;
};

type Ruled = {
  readonly [Name in keyof typeof SUBMISSION_FIGURES]: Made<
    (typeof SUBMISSION_FIGURES)[Name]['rule'] extends 'SUM' ? bigint : bigint | null
  >;
};

function ruled(): Ruled {
  const made = Object.entries(SUBMISSION_FIGURES).map(([name, figure]) => [
    name,
    { of: sumsOf({ figure }), make: (sums: Sums) => figureOf(figure, sums) },
  ]);
  return Object.fromEntries(made) as Ruled;
}

function plain<Name extends SumName>(...names: readonly Name[]): Readonly<Record<Name, Made<bigint>>> {
  const made = names.map((name) => [name, { of: [name], make: (sums: Sums) => sums[name] }]);
  return Object.fromEntries(made) as Record<Name, Made<bigint>>;
}

/** The sums that some figures need, as columns of SQL. */
export function columnsOfFigures(names: readonly SubmissionFigure[]): Readonly<Record<string, string>> {
  // Every row has attempts, and a statement has to read something.
  const sums = new Set<SumName>(['attempts', ...names.flatMap((name) => FIGURES[name].of)]);
  return Object.fromEntries([...sums].map((name) => [name, COLUMNS[name]]));
}

/**
 * Computes these figures from the sums of a row, which may lack the sums of other figures. All figures are null for null sums,
 * and upper bounds are null for a row that is not counted.
 */
export function figuresMaker(
  names: readonly SubmissionFigure[],
): (sums: object | null, isCounted: boolean) => SubmissionFigures {
  const makers = names.map((name) => [name, FIGURES[name].make, isUpperBound(name)] as const);
  return (sums, isCounted) => {
    const figures: Record<string, bigint | number | null> = {};
    for (const [name, make, isUpper] of makers)
      figures[name] = sums && (isCounted || !isUpper) ? make(sums as Sums) : null;
    return figures as unknown as SubmissionFigures;
  };
}

function isUpperBound(name: SubmissionFigure): boolean {
  return (
    name in SUBMISSION_FIGURES && SUBMISSION_FIGURES[name as keyof typeof SUBMISSION_FIGURES].rule === 'MOST'
  );
}
