import { z } from 'zod';
import { FAULT_NAMES, refusalOf, type Faults } from './faults.js';
import { errorText, jsonAnswer, PAGE_NOT_FOUND, type NodeAnswer, type NodeRequest } from './http-server.js';
import type { TruthLog } from './truth-log.js';

const LONGEST_MS = 30 * 24 * 3_600_000;
const MAX_BURST = 10_000;

/** A request is exactly one of the three. */
const WISH = z.union([
  z.strictObject({
    fault: z.enum(FAULT_NAMES),
    /** Without it, the fault lasts until it is ended. */
    forMs: z.number().positive().max(LONGEST_MS).optional(),
  }),
  z.strictObject({ end: z.enum([...FAULT_NAMES, 'all']) }),
  /** Makes so many blocks at once and posts each part of each in a submission of its own. */
  z.strictObject({ burst: z.int().min(1).max(MAX_BURST) }),
]);

interface FaultParts {
  readonly faults: Faults;
  readonly truth: TruthLog;
  readonly isFollower: boolean;
  burst(count: number): void;
  /** Shown in the answer. */
  describe(): object;
}

/**
 * Answers `POST /dev/fault` and `GET /dev/truth`. Only JSON is accepted: a web page cannot send JSON to another address unasked.
 */
export function answerFaults(parts: FaultParts, request: NodeRequest): NodeAnswer {
  const { method, path } = request;
  if (path === '/dev/truth')
    return method === 'GET'
      ? { status: 200, type: 'application/x-ndjson', body: parts.truth.text }
      : errorText(405, 'Method not allowed');
  if (path !== '/dev/fault') return PAGE_NOT_FOUND;
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    return errorText(415, 'Send application/json.');
  const wish = method === 'POST' ? readWish(request.body) : undefined;
  if (!wish)
    return errorText(
      400,
      `Send by POST {"fault":"down","forMs":60000}, {"end":"all"} or {"burst":5}. Faults are ${FAULT_NAMES.join(', ')}.`,
    );
  const refusal = 'fault' in wish ? refusalOf(wish.fault, parts.isFollower) : undefined;
  if (refusal !== undefined) return errorText(400, refusal);
  if ('fault' in wish) parts.faults.begin(wish.fault, wish.forMs);
  else if ('end' in wish) parts.faults.end(wish.end === 'all' ? undefined : wish.end);
  else parts.burst(wish.burst);
  return jsonAnswer({ faults: parts.faults.names, ...parts.describe() });
}

function readWish(text: string): z.infer<typeof WISH> | undefined {
  try {
    return WISH.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
