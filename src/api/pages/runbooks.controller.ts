import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { toPrintable } from '../../domain/printable-text.js';
import { ApiError } from '../errors.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { Described } from '../openapi/described.js';
import { PLAIN_PAGE_POLICY } from './plain-page.js';
import { Runbooks } from './runbooks.js';

/** Serves the runbooks that incidents and alerts name, readable without a script. */
@Controller('runbooks')
export class RunbooksController {
  private readonly runbooks = new Runbooks();

  /** @throws ApiError NOT_FOUND */
  @Get(':page')
  @Header('content-security-policy', PLAIN_PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: 'What to do about trouble',
    type: 'text/html',
    answer: 'The page.',
    parts: { page: 'Its name, as in `Incident.runbook`' },
    refusals: { 404: 'There is no such runbook.' },
  })
  getRunbook(@Param('page') name: string, @Res({ passthrough: true }) reply: HttpReply): string {
    const page = this.runbooks.find(name);
    if (page === undefined)
      throw new ApiError('NOT_FOUND', `There is no runbook ${JSON.stringify(toPrintable(name, 100))}.`);
    reply.header('content-type', 'text/html; charset=utf-8');
    return page;
  }
}
