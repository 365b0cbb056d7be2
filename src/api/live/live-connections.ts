import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { ExecutionResult } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput, tooMany, type ErrorCode } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { ErrorMapper } from '../http/error-mapper.js';
import { ApiKeys } from '../keys/api-keys.js';
import { LiveConnection, type LiveSocket } from './live-connection.js';
import { LiveOperations, type PrintedResult } from './live-operations.js';

const MOST_CONNECTIONS = 200;
const MOST_SUBSCRIPTIONS = 20;
const RETRY_AFTER_S = 10;
/** Close codes of WebSockets. */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Codes of refusals after which the same key may be accepted. */
const TEMPORARY: ReadonlySet<string> = new Set<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED']);

interface Extra {
  readonly connection: LiveConnection;
  readonly request: HttpRequest;
}

/** Admits the WebSockets of subscriptions, and speaks graphql-transport-ws with them. */
@Injectable()
export class LiveConnections implements BeforeApplicationShutdown {
  private readonly open = new Set<LiveConnection>();
  private readonly server = makeServer<Record<string, unknown>, Extra>({
    onConnect: ({ connectionParams, extra }) => this.identify(connectionParams ?? {}, extra),
    onSubscribe: ({ subscriptions, extra: { connection } }, _id, payload) =>
      Object.keys(subscriptions).length > MOST_SUBSCRIPTIONS
        ? this.operations.toErrors([limitReached(`${MOST_SUBSCRIPTIONS} subscriptions on this connection`)])
        : this.operations.prepare(payload, () => connection.letGo()),
    subscribe: (args) => this.operations.run(args),
    onNext: ({ extra: { connection } }, _id, _payload, _args, result) => toPlace(connection, result),
  });

  constructor(
    private readonly keys: ApiKeys,
    private readonly operations: LiveOperations,
    private readonly errors: ErrorMapper,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  beforeApplicationShutdown(): void {
    for (const connection of this.open) connection.close(GOING_AWAY, 'The server is stopping.');
  }

  /**
   * Checks a handshake. Without a key it passes where keys are needed: browsers can only send a key afterwards.
   * @throws ApiError BAD_USER_INPUT for another protocol, FORBIDDEN for a page of another origin, RATE_LIMITED, or as
   * `ApiKeys.require`
   */
  requireAdmission(request: HttpRequest): void {
    const protocols = String(request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
    if (!protocols.includes(GRAPHQL_TRANSPORT_WS_PROTOCOL))
      throw badUserInput(`Use the WebSocket protocol \`${GRAPHQL_TRANSPORT_WS_PROTOCOL}\`.`);
    requireOwnPage(request, this.options.corsOrigins);
    const isKeyless = this.keys.identify(request).is === 'KEYLESS';
    if (!isKeyless || !this.keys.areNeededToAsk) this.keys.require(request);
    if (this.open.size >= MOST_CONNECTIONS) throw limitReached(`${MOST_CONNECTIONS} open connections`);
  }

  /** Serves an admitted connection. */
  serve(socket: LiveSocket, request: HttpRequest): void {
    const connection = new LiveConnection(socket);
    this.open.add(connection);
    const closed = this.server.opened(
      {
        protocol: connection.protocol,
        send: (message) => connection.send(message),
        close: (code = GOING_AWAY, reason = '') => connection.close(code, reason),
        onMessage: (take) =>
          void socket.on('message', (data) => {
            take(String(data)).catch((error: unknown) => {
              connection.close(CloseCode.InternalServerError, this.errors.tell(error).message);
            });
          }),
      },
      { connection, request },
    );
    socket.once('close', (code, reason) => {
      this.open.delete(connection);
      closed(code, String(reason)).catch((error: unknown) => this.errors.tell(error));
    });
  }

  /** Checks the key of a connection, from its handshake or its first message. False: the connection was closed. */
  private async identify(
    params: Readonly<Record<string, unknown>>,
    { connection, request }: Extra,
  ): Promise<boolean> {
    const key = params['x-api-key'];
    const isKeyed = this.keys.identify(request).is !== 'KEYLESS' || typeof key !== 'string';
    const keyed = { headers: isKeyed ? request.headers : { ...request.headers, 'x-api-key': key } };
    try {
      if (this.keys.identify(keyed).is === 'WRONG') await request.countWrongKey?.();
      this.keys.require(keyed);
    } catch (error) {
      const { code, message } = this.errors.tell(error);
      connection.close(TEMPORARY.has(code) ? TRY_AGAIN_LATER : CloseCode.Forbidden, message);
      return false;
    }
    connection.release = this.keys.onRevoked(keyed, () =>
      connection.close(CloseCode.Forbidden, 'This API key was revoked.'),
    );
    return true;
  }
}

function limitReached(limit: string): ApiError {
  return tooMany(`There are ${limit}, which is the limit; close some, or try again later.`, RETRY_AFTER_S);
}

function toPlace(connection: LiveConnection, result: ExecutionResult): ExecutionResult | undefined {
  return 'text' in result ? connection.placeOf(result as PrintedResult) : undefined;
}

/**
 * Rejects pages of other origins: browsers open WebSockets for any page, and always name its origin.
 * @throws ApiError FORBIDDEN
 */
function requireOwnPage({ headers }: HttpRequest, invited: readonly string[]): void {
  const origin = headers['origin'];
  if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return;
  const isOwn = URL.canParse(String(origin)) && new URL(String(origin)).host === headers['host'];
  if (isOwn || invited.includes(String(origin))) return;
  throw new ApiError('FORBIDDEN', 'Pages of other origins may not subscribe; see `corsOrigins`.');
}
