import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiKeys } from '../keys/api-keys.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { requireOwnNames } from './own-names.js';

/** Lets in only what means this computer, where no key is asked for: else a page of a name of its own could read it. */
@Injectable()
export class OwnNamesGuard implements CanActivate {
  constructor(
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    private readonly keys: ApiKeys,
  ) {}

  /** @throws ApiError FORBIDDEN */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const isAnybody = !this.keys.areNeededToAsk && this.keys.findCaller(request) === undefined;
    if (isAnybody) requireOwnNames(request, this.options.corsOrigins);
    return true;
  }
}
