import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiKeys } from '../keys/api-keys.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { requireAllowedHost } from './host-allowlist.js';

/**
 * Where no key is needed, rejects requests that do not name this computer: otherwise a page whose own host name points here could
 * read the response.
 */
@Injectable()
export class HostAllowlistGuard implements CanActivate {
  constructor(
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    private readonly keys: ApiKeys,
  ) {}

  /** @throws ApiError FORBIDDEN */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const isAnybody = !this.keys.areNeededToAsk && this.keys.findCaller(request) === undefined;
    if (isAnybody) requireAllowedHost(request, this.options.corsOrigins);
    return true;
  }
}
