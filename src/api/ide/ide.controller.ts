import { Controller, Get, Header } from '@nestjs/common';
import { HtmlPage, PAGE_POLICY } from '../pages/static-files.js';
import { Described } from '../openapi/described.js';

/** GraphiQL's style sheet embeds its fonts. */
const POLICY = PAGE_POLICY.replace("font-src 'self'", 'font-src data:');

/** Serves the page at `/ide`: GraphiQL, with the examples of the README. */
@Controller('ide')
export class IdeController {
  private readonly page = new HtmlPage('api/ide/static/ide.html');

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', POLICY)
  @Described({
    tag: 'Pages',
    summary: 'GraphiQL: queries in GraphQL, with examples',
    type: 'text/html',
    answer: 'The page. With `query` it opens with that query, and runs it on demand.',
    query: { query: 'a query to open with' },
  })
  getIde(): string {
    return this.page.read();
  }
}
