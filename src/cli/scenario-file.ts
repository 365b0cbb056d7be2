import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { FAULT_NAMES } from '../devnode/faults.js';
import type { Scenario } from '../devnode/scenario.js';
import { UserError } from '../platform/errors.js';
import { durationValue } from '../settings/values.js';

const MOST_STEPS = 1_000;
const MOST_TIMES = 100_000;

const STEP = z
  .strictObject({
    fault: z.enum(FAULT_NAMES),
    at: durationValue,
    for: durationValue,
    every: durationValue.optional(),
    times: z.int().min(1).max(MOST_TIMES).optional(),
    jitter: durationValue.optional(),
  })
  .refine(({ times, every }) => times === undefined || every !== undefined, '`times` needs `every`');

const FILE = z.strictObject({
  seed: z.union([z.string(), z.number()]).transform(String).optional(),
  repeat: durationValue.refine((ms) => ms > 0, 'must be longer than 0s').optional(),
  faults: z.array(STEP).max(MOST_STEPS),
});

/**
 * Reads a scenario, with its seed.
 * @throws UserError if the file cannot be read, or is not a scenario
 */
export function readScenario(path: string): { readonly scenario: Scenario; readonly seed?: string } {
  const { seed, repeat, faults } = check(path);
  const steps = faults.map(({ at, for: forMs, every, jitter, ...rest }) => ({
    ...rest,
    atMs: at,
    forMs,
    everyMs: every,
    jitterMs: jitter,
  }));
  return { scenario: { steps, repeatMs: repeat }, ...(seed !== undefined && { seed }) };
}

function check(path: string): z.infer<typeof FILE> {
  const remedy = 'docs/devnode.md has an example.';
  try {
    const { data, error } = FILE.safeParse(parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 }));
    if (data) return data;
    const [issue] = error.issues;
    throw new UserError(
      `${path} is not a valid scenario: ${issue?.path.join('.')}: ${issue?.message}.`,
      remedy,
      2,
    );
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new UserError(`${path} cannot be read as a scenario: ${why}`, remedy, 2, { cause });
  }
}
