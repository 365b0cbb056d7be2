import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { HttpRequest } from '../graphql/http-messages.js';
import { ApiKeys } from '../keys/api-keys.js';

/** Admits requests that may read, by the same keys as GraphQL queries. */
@Injectable()
export class ReadersGuard implements CanActivate {
  constructor(private readonly keys: ApiKeys) {}

  /** @throws ApiError UNAUTHENTICATED, FORBIDDEN or UNAVAILABLE */
  canActivate(context: ExecutionContext): true {
    this.keys.require(context.switchToHttp().getRequest<HttpRequest>());
    return true;
  }
}
