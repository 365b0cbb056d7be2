import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Extensions, GqlExecutionContext, type GqlContextType } from '@nestjs/graphql';
import { OperationTypeNode, type GraphQLResolveInfo } from 'graphql';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { requireOwnNames } from '../http/own-names.js';
import type { Caller } from './caller.js';
import { covers, hashKey, type KeyScope } from './key-text.js';
import { KnownKeys } from './known-keys.js';
import type { ApiContext } from '../graphql/api-context.js';

/** What a request's key says of who sent it. */
export type Identity =
  | { readonly is: 'KEYLESS' }
  | { readonly is: 'CALLER'; readonly caller: Caller }
  | { readonly is: 'WRONG' }
  /** The keys could not be read for too long to tell. */
  | { readonly is: 'UNDECIDED' };

type KeyedRequest = Pick<HttpRequest, 'headers'>;

const HOW = '`Authorization: Bearer …` or `x-api-key: …`';

/**
 * Knows who sends a request, and who may do what. Keys of the settings may do everything, and where there are any, or the
 * server is reached from elsewhere, every question needs a key. On loopback with keys of the table alone, changes need one.
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

  /** Whether anybody is asked for a key, if only for changes. */
  get isAsking(): boolean {
    return this.areNeededToAsk || this.known.areAny || !this.known.areKnown;
  }

  /** Whose key a request bears. Every key is compared, so that the time does not tell which one came close. */
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

  /** Whose key a request bears; undefined where it bears none, or none that is good. */
  findCaller(request: KeyedRequest): Caller | undefined {
    const identity = this.identify(request);
    return identity.is === 'CALLER' ? identity.caller : undefined;
  }

  /**
   * Calls back once the key of the table that a request bears is revoked; never for others.
   * @returns takes the callback back
   */
  onRevoked(request: KeyedRequest, end: () => void): () => void {
    const text = findKey(request);
    const hash = text === undefined ? undefined : hashKey(text);
    return hash && this.known.find(hash) ? this.known.onRevoked(hash, end) : () => undefined;
  }

  /** Whether a request may know more than strangers do. */
  admits(request: KeyedRequest): boolean {
    return !this.areNeededToAsk || this.findCaller(request) !== undefined;
  }

  /**
   * Lets a request in that may ask, and notes on it who does.
   * @throws ApiError UNAUTHENTICATED without a key that is needed or with one that is not good; UNAVAILABLE when that
   * cannot be told. FORBIDDEN for a request without a key that does not mean this computer
   */
  require(request: KeyedRequest & Pick<HttpRequest, 'caller'>): void {
    const identity = this.identify(request);
    switch (identity.is) {
      case 'CALLER':
        request.caller = identity.caller;
        return;
      case 'WRONG':
        throw new ApiError('UNAUTHENTICATED', 'This API key is not known here.');
      case 'UNDECIDED':
        throw unknownKeys();
      case 'KEYLESS':
        if (this.areNeededToAsk) throw new ApiError('UNAUTHENTICATED', `Send an API key: ${HOW}.`);
        requireOwnNames(request, this.options.corsOrigins);
        return;
      default:
        identity satisfies never;
    }
  }

  /**
   * Lets somebody do what needs a scope; without a key everybody on this computer may, as long as there is none at all.
   * @throws ApiError FORBIDDEN for too low a scope, UNAUTHENTICATED without a key, UNAVAILABLE when it is not known whether
   * one is needed
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

  /** Whether every question needs a key. */
  get areNeededToAsk(): boolean {
    return this.ofSettings.length > 0 || !this.options.isLoopback;
  }
}

function unknownKeys(): ApiError {
  return new ApiError('UNAVAILABLE', 'The API keys cannot be read at the moment; ask again later.');
}

function findKey({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''))?.[1];
  return bearer ?? (headers['x-api-key'] === undefined ? undefined : String(headers['x-api-key']));
}

/** Under which name a mutation of the schema carries the scope it needs, among the `extensions` of its field. */
export const NEEDED_SCOPE = 'neededScope';

/** Declares what scope a key must have for a mutation. */
export function Needs(scope: KeyScope): MethodDecorator {
  return Extensions({ [NEEDED_SCOPE]: scope });
}

/** Lets a mutation be carried out only for those who may. One that declares no scope needs the highest. */
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
