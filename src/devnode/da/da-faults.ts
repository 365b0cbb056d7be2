import { z } from 'zod';
import { endOf, FOR_MS, LONGEST_MS } from '../dev-routes.js';
import { refuseAddress } from './bech32.js';

/** Every fault that a DA node of the rig can have, and how it shows. */
export const DA_FAULTS = {
  stopped: 'the DA node refuses connections, while the DA chain continues',
  hang: 'the DA node accepts connections and does not answer',
  halt: 'the DA chain makes no further block, while the DA node reports that all is well',
  'cut-off': 'the head of the DA node no longer moves, while the DA chain continues',
  'token-refused':
    'tokens are refused with 401; "only":"write" those that may write, "only":"read" the others',
  'token-weak': 'tokens have no more than the permission "level", public or read; "only" as above',
  'consensus-down': 'the consensus node refuses connections; balances fail after "delayMs", 16 s by default',
  'consensus-hang': 'the consensus node does not answer; balances fail after "delayMs", 38 s by default',
  'second-sender': 'another sender posts a blob of "bytes" from the account in every DA block',
} as const;

const FAULT_NAMES = Object.keys(DA_FAULTS) as readonly (keyof typeof DA_FAULTS)[];

const ONLY = z.enum(['read', 'write']).optional();
const DELAY_MS = z.number().nonnegative().max(LONGEST_MS).optional();
const ADDRESS = z
  .string()
  .max(100)
  .refine((text) => refuseAddress(text) === undefined);
const UTIA = z
  .union([z.int().nonnegative(), z.string().regex(/^\d{1,18}$/)])
  .transform((amount) => BigInt(amount));
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_BLOCKS = 10_000;

const FAULT = z.discriminatedUnion('fault', [
  z.strictObject({ fault: z.enum(['stopped', 'hang', 'halt', 'cut-off']), forMs: FOR_MS }),
  z.strictObject({ fault: z.literal('token-refused'), only: ONLY, forMs: FOR_MS }),
  z.strictObject({
    fault: z.literal('token-weak'),
    level: z.enum(['public', 'read']).optional(),
    only: ONLY,
    forMs: FOR_MS,
  }),
  z.strictObject({ fault: z.literal('consensus-down'), delayMs: DELAY_MS, forMs: FOR_MS }),
  z.strictObject({ fault: z.literal('consensus-hang'), delayMs: DELAY_MS, forMs: FOR_MS }),
  z.strictObject({
    fault: z.literal('second-sender'),
    bytes: z.int().min(1).max(MAX_BYTES).optional(),
    account: ADDRESS.optional(),
    forMs: FOR_MS,
  }),
]);
/** A fault with its parameters; without `forMs` it lasts until it is ended. */
export type DaFault = z.infer<typeof FAULT>;

/** A request is exactly one of these. An account that is left out is the DA node's own. */
export const DA_COMMAND = z.union([
  FAULT,
  endOf(FAULT_NAMES),
  z.strictObject({ fund: z.strictObject({ account: ADDRESS.optional(), amount: UTIA }) }),
  z.strictObject({
    drain: z.strictObject({ account: ADDRESS.optional(), to: ADDRESS.optional(), leave: UTIA.optional() }),
  }),
  z.strictObject({
    transfer: z.strictObject({ account: ADDRESS.optional(), to: ADDRESS, amount: UTIA }),
  }),
  /** A transaction that is included, costs its fee and does nothing. */
  z.strictObject({ fail: z.strictObject({ account: ADDRESS.optional() }) }),
  z.strictObject({ maxBlobBytes: z.int().min(1).max(MAX_BYTES) }),
  /** Makes so many DA blocks at once. */
  z.strictObject({ produce: z.int().min(1).max(MAX_BLOCKS) }),
]);
export type DaCommand = z.infer<typeof DA_COMMAND>;

export const DA_USAGE = `Send by POST {"fault":"halt","forMs":60000}, {"end":"all"}, {"fund":{"amount":1000}}, {"drain":{"leave":100}}, {"transfer":{"to":"celestia1…","amount":5}}, {"fail":{}}, {"maxBlobBytes":1000} or {"produce":1}. Faults are ${FAULT_NAMES.join(', ')}.`;
