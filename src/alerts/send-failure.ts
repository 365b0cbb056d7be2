/** Limits of a destination's answer: how long it may take, and how large it may be. */
export const PATIENCE = { headersMs: 10_000, totalMs: 15_000, bodyBytes: 4_096 } as const;

/** Why a destination did not accept a notice; never names its address. */
export interface SendFailure {
  /** Whether another try would end the same way. */
  readonly isFinal: boolean;
  readonly detail: string;
  /** The time after which the destination permits a retry, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}
