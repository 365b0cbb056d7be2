import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { requireOwnNames } from './own-names.js';

/** Lets in only what means this computer, where no key is configured: else a page of a name of its own could read it. */
@Injectable()
export class OwnNamesGuard implements CanActivate {
  constructor(@Inject(API_OPTIONS) private readonly options: ApiOptions) {}

  /** @throws ApiError FORBIDDEN */
  canActivate(context: ExecutionContext): boolean {
    if (this.options.apiKeyHashes.length === 0) {
      requireOwnNames(context.switchToHttp().getRequest<HttpRequest>());
    }
    return true;
  }
}
