import * as dying from './scripts/dying-lists.js';
import * as hidden from './scripts/hidden-lists.js';
import * as quiet from './scripts/quiet-lists.js';
import type { Script } from './scripts/script.js';
import { wild } from './scripts/wild-lists.js';

/** Scripts of known faults, and of faults that must never happen; by name. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  steady: quiet.steady,
  idle: quiet.idle,
  'idle-declared': quiet.idleDeclared,
  waking: quiet.waking,
  'idle-proxied': quiet.idleBehindProxy,
  proxied: quiet.proxied,
  closing: quiet.closing,
  'standby-old': hidden.standby(20),
  'standby-empty': hidden.standby(0),
  'two-ways': hidden.twoWays,
  'out-and-back': hidden.balanced(true),
  'out-for-good': hidden.balanced(false),
  'by-connection': hidden.byConnection,
  flapping: hidden.flapping,
  cached: hidden.cached(true),
  'cached-ageless': hidden.cached(false),
  crashing: dying.crashing,
  'crashing-too': dying.crashing,
  'crashing-proxied': dying.crashingBehindProxy,
  restarting: dying.restarting,
  'cut-off': dying.cutOff,
  small: dying.small,
  overflowing: dying.overflowing,
  alike: dying.alike,
  wild,
  'wild-too': wild,
};
