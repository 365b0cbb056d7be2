import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from './api-options.js';
import { ApiError } from './errors.js';
import type { HttpRequest } from './graphql/http-messages.js';

/** Lets requests in that bear one of the configured keys; everybody, when none is configured. */
@Injectable()
export class ApiKeys {
  private readonly hashes: readonly Buffer[];

  constructor(@Inject(API_OPTIONS) options: ApiOptions) {
    this.hashes = options.apiKeyHashes.map((hash) => Buffer.from(hash, 'hex'));
  }

  /** Whether {@link require} would let a request in. */
  admits(request: Pick<HttpRequest, 'headers'>): boolean {
    try {
      this.require(request);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /** @throws ApiError UNAUTHENTICATED, or FORBIDDEN for a request without keys that does not mean this computer */
  require(request: Pick<HttpRequest, 'headers'>): void {
    if (this.hashes.length === 0) {
      if (!namesLoopback(request)) {
        throw new ApiError('FORBIDDEN', 'Without an API key this server answers only as localhost.');
      }
      return;
    }
    const key = findKey(request);
    if (key === undefined) {
      throw new ApiError('UNAUTHENTICATED', 'Send an API key: `Authorization: Bearer …` or `x-api-key: …`.');
    }
    const hash = createHash('sha256').update(key).digest();
    // Every hash is compared, so that the time does not tell which one came close.
    const matches = this.hashes.filter(
      (known) => known.length === hash.length && timingSafeEqual(known, hash),
    );
    if (matches.length === 0) throw new ApiError('UNAUTHENTICATED', 'This API key is not known here.');
  }
}

/**
 * Without keys we listen on loopback only, but a web page may have its own name point there: what it sends then bears
 * that name.
 */
function namesLoopback({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  const name = String(headers['host'] ?? 'localhost').replace(/:\d+$/, '');
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(name);
}

function findKey({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''))?.[1];
  return bearer ?? (headers['x-api-key'] === undefined ? undefined : String(headers['x-api-key']));
}
