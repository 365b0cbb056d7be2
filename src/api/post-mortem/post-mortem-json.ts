import { Decimal } from '../../domain/cost/decimal.js';
import { formatTime, microsToNanos } from '../../domain/time.js';
import { questionsOf } from './post-mortem-questions.js';
import type { PostMortem } from './post-mortem-data.js';

/** A post-mortem as JSON: exact numbers as text, times as ISO 8601 under names without the unit. Null: unknown. */
export function toPostMortemJson(postMortem: PostMortem): string {
  return JSON.stringify(toPlain({ ...postMortem, questions: questionsOf(postMortem) }), null, 2);
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint' || value instanceof Decimal) return value.toString();
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) =>
      name.endsWith('Us') && typeof member === 'bigint'
        ? [name.slice(0, -2), formatTime(microsToNanos(member))]
        : [name.endsWith('Us') ? name.slice(0, -2) : name, toPlain(member)],
    ),
  );
}
