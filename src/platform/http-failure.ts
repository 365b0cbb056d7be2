/** Why no complete answer came. `ABORTED`: the caller gave up, which says nothing about the server. */
export type FailureReason = 'REFUSED' | 'TIMEOUT' | 'RESET' | 'DNS' | 'TLS' | 'ABORTED' | 'OTHER';

const REASONS: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: 'REFUSED',
  ETIMEDOUT: 'TIMEOUT',
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  ECONNRESET: 'RESET',
  EPIPE: 'RESET',
  UND_ERR_SOCKET: 'RESET',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'RESET',
  ENOTFOUND: 'DNS',
  EAI_AGAIN: 'DNS',
  EPROTO: 'TLS',
};
const TLS_CODES = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** Classifies a connection error and gives a one-line text without secrets. */
export function describeFailure(error: unknown): { reason: FailureReason; detail: string } {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const name = typeof code === 'string' ? code : '';
  const reason = REASONS[name] ?? (TLS_CODES.test(name) ? 'TLS' : 'OTHER');
  // Several addresses tried in turn (::1, then 127.0.0.1) fail as one error without a message of its own.
  const first = error instanceof AggregateError ? (error.errors[0] as { message?: unknown }) : undefined;
  const isText = (part: unknown): part is string => typeof part === 'string' && part !== '';
  const text = [message, first?.message, name].find(isText) ?? 'unknown error';
  return { reason, detail: text.split('\n', 1)[0] ?? '' };
}
