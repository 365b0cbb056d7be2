/** A row that entered a list, in its canonical text, and when, in Unix milliseconds. Rows alike in all have equal texts. */
export interface PostedRow {
  readonly text: string;
  readonly at: number;
  /** No look came after it that could have told of its loss: it may not be covered, and no more is asked. */
  readonly isTooLate?: boolean;
}

/** From one moment to another, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a recorder says of a list, or of the lists of a chain. */
export interface Told {
  /** Canonical texts of the recorded rows, one for each. */
  readonly rows: readonly string[];
  /** Times in which rows may be missing. Without a beginning: from minus infinity; still open: to infinity. */
  readonly holes: readonly Span[];
  /** Times in which none can be. */
  readonly covered: readonly Span[];
}

/** What speaks against a recorder. All is well when the first four lists are empty. */
export interface Findings {
  /** Texts that are recorded more often than they were posted. */
  readonly doubled: readonly string[];
  /** Rows that are not recorded and lie in no stated hole. */
  readonly outside: readonly PostedRow[];
  /** Rows that are not recorded and lie in a time that is said to be covered. */
  readonly covered: readonly PostedRow[];
  /** Rows that are not recorded, and are not both in a hole and outside coverage. */
  readonly unexcused: readonly PostedRow[];
  /** How many rows are not recorded at all. */
  readonly missing: number;
}

/**
 * How far apart two clocks may read one moment. A row may enter a list between the answer to a look and the reading of
 * that answer. A busy machine lets a quarter of a second pass there.
 */
export const EDGE_MS = 300;

/**
 * Holds what a recorder says against what was posted: each row is recorded once, or lies in the time of a hole and outside
 * coverage. Of rows that are alike in all, those count as recorded that nothing else excuses.
 */
export function holdAgainstTruth(posted: readonly PostedRow[], told: Told): Findings {
  const recorded = countOf(told.rows);
  const doubled: string[] = [];
  const findings = { outside: [] as PostedRow[], covered: [] as PostedRow[], unexcused: [] as PostedRow[] };
  let missing = 0;
  const byText = new Map<string, PostedRow[]>();
  for (const row of posted) byText.set(row.text, [...(byText.get(row.text) ?? []), row]);
  for (const [text, times] of recorded) {
    if (times > (byText.get(text)?.length ?? 0)) doubled.push(text);
  }
  for (const [text, rows] of byText) {
    const seen = recorded.get(text) ?? 0;
    missing += Math.max(0, rows.length - seen);
    const isOutside = ({ at, isTooLate }: PostedRow): boolean =>
      isTooLate !== true && !liesIn(told.holes, at, EDGE_MS);
    const isCovered = ({ at }: PostedRow): boolean => liesIn(told.covered, at, -EDGE_MS);
    findings.outside.push(...rows.filter(isOutside).slice(seen));
    findings.covered.push(...rows.filter(isCovered).slice(seen));
    findings.unexcused.push(...rows.filter((row) => isOutside(row) || isCovered(row)).slice(seen));
  }
  return { doubled, ...findings, missing };
}

/**
 * What several nodes of a chain say together. A text belongs to one list; where several nodes show that list, each of them
 * records its rows.
 */
export function joinTold(nodes: readonly Told[], covered: readonly Span[]): Told {
  const most = new Map<string, number>();
  for (const { rows } of nodes) {
    for (const [text, times] of countOf(rows)) most.set(text, Math.max(times, most.get(text) ?? 0));
  }
  return {
    rows: [...most].flatMap(([text, times]) => Array.from({ length: times }, () => text)),
    holes: nodes.flatMap(({ holes }) => holes),
    covered,
  };
}

/**
 * What lies between two moments and in no span, but for edges.
 *
 * @param edgeMs shorter pieces are left out
 */
export function uncovered(spans: readonly Span[], { from, to }: Span, edgeMs = EDGE_MS): Span[] {
  const gaps: Span[] = [];
  let at = from;
  for (const span of [...spans.toSorted((a, b) => a.from - b.from), { from: to, to }]) {
    const end = Math.min(span.from, to);
    if (end - at > edgeMs) gaps.push({ from: at, to: end });
    at = Math.max(at, span.to);
  }
  return gaps;
}

/** JSON of a value with the keys of its objects in order, so that equal values have equal texts. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function liesIn(spans: readonly Span[], at: number, edgeMs: number): boolean {
  return spans.some(({ from, to }) => at >= from - edgeMs && at <= to + edgeMs);
}

function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
