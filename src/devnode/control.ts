import { DA_MODES, type DaMode } from './da-layer.js';
import { errorText, jsonAnswer, type NodeAnswer, type NodeRequest } from './http-server.js';
import type { Millis } from '../domain/time.js';

/** What a test may ask of a devnode by `POST /devnode/control`; several wishes are met in this order. */
export interface ControlRequest {
  /** How the DA layer behaves from now on; a script that is playing overrides it at its next step. */
  da?: DaMode;
  /** Whether the inclusion loop stands still. */
  frozen?: boolean;
  /** Whether no further blocks are made. */
  halted?: boolean;
  /** Makes so many blocks at once and posts each part of each in a submission of its own. */
  burst?: number;
  /** Stops and starts again, after the answer: the ring is lost, the chain goes on. */
  restart?: boolean;
  /** The same by a kill. */
  kill?: boolean;
  /** How long a restart or a kill keeps the node down, in milliseconds. */
  downMs?: Millis;
}

const MAX_BURST = 10_000;

/** Hands a control request to `apply`, and answers with what `apply` tells of the node. */
export function answerControl(request: NodeRequest, apply: (wish: ControlRequest) => object): NodeAnswer {
  const wish = parseControl(request.body);
  if (!wish || request.method !== 'POST') {
    return errorText(
      400,
      `Send by POST a JSON object such as {"da":"down"}; modes are ${DA_MODES.join(', ')}.`,
    );
  }
  return jsonAnswer(apply(wish));
}

function parseControl(text: string): ControlRequest | undefined {
  try {
    const wish = JSON.parse(text) as ControlRequest;
    const isKnownMode = wish.da === undefined || DA_MODES.includes(wish.da);
    const isFewBlocks = wish.burst === undefined || (wish.burst >= 0 && wish.burst <= MAX_BURST);
    return isKnownMode && isFewBlocks ? wish : undefined;
  } catch {
    return undefined;
  }
}
