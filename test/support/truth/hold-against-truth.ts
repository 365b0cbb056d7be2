/**
 * A row that entered a list, in its canonical text, and its time in Unix milliseconds. Rows that are equal in all fields have
 * equal texts.
 */
export interface PostedRow {
  readonly text: string;
  readonly at: number;
  /** No later poll could have reported its loss: it must not be covered, and nothing else is required. */
  readonly isTooLate?: boolean;
}

/** A time span, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A recorder's statements about a list, or about the lists of a chain. */
export interface Told {
  /** Canonical texts of the recorded rows, one per row. */
  readonly rows: readonly string[];
  /** Times in which rows may be missing. Without a start: from minus infinity; still open: to infinity. */
  readonly holes: readonly Span[];
  /** Times in which no row can be missing. */
  readonly covered: readonly Span[];
}

/** Contradictions between a recorder and the truth. The recorder is right when the first four lists are empty. */
export interface Findings {
  /** Texts that were recorded more often than posted. */
  readonly doubled: readonly string[];
  /** Unrecorded rows outside all reported gaps. */
  readonly outside: readonly PostedRow[];
  /** Unrecorded rows in a time reported as covered. */
  readonly covered: readonly PostedRow[];
  /** Unrecorded rows that are not both in a gap and outside coverage. */
  readonly unexcused: readonly PostedRow[];
  /** The number of unrecorded rows. */
  readonly missing: number;
}

/**
 * The difference between two clocks at one moment. A row may enter a list between the answer to a poll and its processing, which
 * can take a quarter of a second on a busy machine.
 */
export const EDGE_MS = 300;

/**
 * Compares a recorder's statements with the posted rows: each row is recorded once, or is in the time of a gap and outside
 * coverage. Among rows that are equal in all fields, the rows without another excuse count as recorded.
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
 * Merges the statements of several nodes of a chain. A text belongs to one list; if several nodes show that list, each of them
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
 * The times between two moments that are in no span, except at edges.
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
