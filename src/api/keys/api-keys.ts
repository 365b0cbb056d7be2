import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Extensions, GqlExecutionContext, type GqlContextType } from '@nestjs/graphql';
import { OperationTypeNode, type GraphQLResolveInfo } from 'graphql';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { requireAllowedHost } from '../http/host-allowlist.js';
import type { Caller } from './caller.js';
import { covers, hashKey, type KeyScope } from './key-text.js';
import { KnownKeys } from './known-keys.js';
import type { ApiContext } from '../graphql/api-context.js';

/** The client of a request, identified by its API key. */
export type Identity =
  | { readonly is: 'KEYLESS' }
  | { readonly is: 'CALLER'; readonly caller: Caller }
  | { readonly is: 'WRONG' }
  /** The keys could not be read for too long to decide. */
  | { readonly is: 'UNDECIDED' };

type KeyedRequest = Pick<HttpRequest, 'headers'>;

const HOW = '`Authorization: Bearer …` or `x-api-key: …`';

/**
 * Identifies the sender of a request, and decides what it may do. Keys of the settings may do everything. Where there are any, or
 * the server is reachable from other computers, every query needs a key. On loopback with only keys of the table, changes need a
 * key.
 */
@Injectable()
export class ApiKeys {
  private readonly ofSettings: readonly { readonly hash: Buffer; readonly caller: Caller }[];

  constructor(
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    private readonly known: KnownKeys,
  ) {
    const hashes = options.apiKeyHashes.map((hash) => Buffer.from(hash, 'hex'));
    this.ofSettings = hashes.map((hash, index) => ({
      hash,
      caller: { name: hashes.length === 1 ? 'settings' : `settings-${index + 1}`, scope: 'admin' },
    }));
  }

  /** Whether any request needs a key, even if only changes do. */
  get isAsking(): boolean {
    return this.areNeededToAsk || this.known.areAny || !this.known.areKnown;
  }

  /** Identifies a request by its key. Compares every key, so that the time does not reveal which one came close. */
  identify(request: KeyedRequest): Identity {
    const text = findKey(request);
    if (text === undefined) return { is: 'KEYLESS' };
    const hash = hashKey(text);
    const [ofSettings] = this.ofSettings.filter((key) => timingSafeEqual(key.hash, hash));
    const made = this.known.find(hash);
    if (ofSettings) return { is: 'CALLER', caller: ofSettings.caller };
    if (!this.known.areKnown) return { is: 'UNDECIDED' };
    return made ? { is: 'CALLER', caller: made } : { is: 'WRONG' };
  }

  /**
   * Calls back once when the request's key is revoked; only for keys of the table.
   * @returns removes the callback
   */
  onRevoked(request: KeyedRequest, end: () => void): () => void {
    const text = findKey(request);
    const hash = text === undefined ? undefined : hashKey(text);
    return hash && this.known.find(hash) ? this.known.onRevoked(hash, end) : () => undefined;
  }

  /**
   * Whether a request may see more than anonymous clients.
   * @throws ApiError FORBIDDEN where none needs a key, for a request without a valid key that does not name this computer: a page
   * whose own host name points here could read the response
   */
  admits(request: KeyedRequest): boolean {
    if (this.identify(request).is === 'CALLER') return true;
    if (this.areNeededToAsk) return false;
    requireAllowedHost(request, this.options.corsOrigins);
    return true;
  }

  /**
   * Admits a request that may read, and stores its caller on the request.
   * @throws ApiError UNAUTHENTICATED without a needed key or with an invalid key; UNAVAILABLE when it cannot be decided whether a
   * key is valid; FORBIDDEN for a request without a key that does not name this computer
   */
  require(request: KeyedRequest & Pick<HttpRequest, 'caller'>): void {
    const identity = this.identify(request);
    switch (identity.is) {
      case 'CALLER':
        request.caller = identity.caller;
        return;
      case 'WRONG':
        throw new ApiError('UNAUTHENTICATED', 'This API key is unknown.');
      case 'UNDECIDED':
        throw unknownKeys();
      case 'KEYLESS':
        if (this.areNeededToAsk) throw new ApiError('UNAUTHENTICATED', `Send an API key: ${HOW}.`);
        requireAllowedHost(request, this.options.corsOrigins);
        return;
      default:
        identity satisfies never;
    }
  }

  /**
   * Requires a scope. Without a key, any client on this computer passes, as long as no keys exist at all.
   * @throws ApiError FORBIDDEN for too low a scope, UNAUTHENTICATED without a key, UNAVAILABLE when it is unknown whether one is
   * needed
   */
  requireScope(caller: Caller | undefined, scope: KeyScope): void {
    if (caller) {
      if (covers(caller.scope, scope)) return;
      throw new ApiError(
        'FORBIDDEN',
        `This needs an API key with the scope \`${scope}\`; ${caller.name} has \`${caller.scope}\`.`,
      );
    }
    if (!this.isAsking) return;
    if (!this.known.areKnown) throw unknownKeys();
    throw new ApiError('UNAUTHENTICATED', `This needs an API key with the scope \`${scope}\`: ${HOW}.`);
  }

  /** Whether every query needs a key. */
  get areNeededToAsk(): boolean {
    return this.ofSettings.length > 0 || !this.options.isLoopback;
  }
}

function unknownKeys(): ApiError {
  return new ApiError('UNAVAILABLE', 'The API keys cannot be read; try again later.');
}

function findKey({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''))?.[1];
  return bearer ?? (headers['x-api-key'] === undefined ? undefined : String(headers['x-api-key']));
}

/** The name under which the `extensions` of a mutation's field contain its required scope. */
export const NEEDED_SCOPE = 'neededScope';

/** Declares the scope that a key needs for a mutation. */
export function Needs(scope: KeyScope): MethodDecorator {
  return Extensions({ [NEEDED_SCOPE]: scope });
}

/** Checks the scope for mutations. A mutation that declares no scope needs the highest. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly keys: ApiKeys) {}

  /** @throws ApiError UNAUTHENTICATED or FORBIDDEN */
  canActivate(context: ExecutionContext): true {
    if (context.getType<GqlContextType>() !== 'graphql') return true;
    const graphql = GqlExecutionContext.create(context);
    const { operation, parentType, fieldName } = graphql.getInfo<GraphQLResolveInfo>();
    if (operation.operation !== OperationTypeNode.MUTATION) return true;
    const scope = parentType.getFields()[fieldName]?.extensions[NEEDED_SCOPE] as KeyScope | undefined;
    this.keys.requireScope(graphql.getContext<ApiContext>().caller, scope ?? 'admin');
    return true;
  }
}
