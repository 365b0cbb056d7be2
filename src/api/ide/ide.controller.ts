import { Controller, Get, Header } from '@nestjs/common';
import { HtmlPage, PAGE_POLICY } from '../pages/static-files.js';
import { Described } from '../openapi/described.js';

/** Serves the page at `/ide`: an editor for GraphQL, with the examples of docs/graphql.md. */
@Controller('ide')
export class IdeController {
  private readonly page = new HtmlPage('dashboard/ide/ide.html');

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: 'Queries in GraphQL, with completion, the schema and examples',
    type: 'text/html',
    answer: 'The page. With `query` it opens with that query, and runs it on demand.',
    query: { query: 'a query to open with' },
  })
  getIde(): string {
    return this.page.read();
  }
}
