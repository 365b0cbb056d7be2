import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import type { HttpReply } from '../graphql/http-messages.js';
import { inPackage, PAGE_POLICY, PageFiles, readStatic, script, style } from '../landing/static-files.js';
import { Described } from '../openapi/described.js';

/** Seen from `src` and from `dist` alike, so that a build has nothing to copy. */
const FOLDER = new URL('../../../src/api/ide/static/', import.meta.url);

/** GraphiQL's style sheet holds its fonts. */
const POLICY = `${PAGE_POLICY}; font-src data:`;

/** The page at `/ide`: GraphiQL, with the examples of the README. Its files are ours or stand in installed packages. */
@Controller('ide')
export class IdeController {
  private readonly page = readStatic('ide.html', FOLDER);
  private readonly files = new PageFiles({
    'ide.css': style(new URL('ide.css', FOLDER)),
    'ide.js': script(new URL('ide.js', FOLDER)),
    'examples.json': {
      type: 'application/json; charset=utf-8',
      from: new URL('examples.json', FOLDER),
    },
    'graphiql.css': style(inPackage('graphiql', 'graphiql.min.css')),
    'graphiql.js': script(inPackage('graphiql', 'graphiql.min.js')),
    'react.js': script(inPackage('react', 'umd/react.production.min.js')),
    'react-dom.js': script(inPackage('react-dom', 'umd/react-dom.production.min.js')),
  });

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', POLICY)
  @Described({
    tag: 'Pages',
    summary: 'GraphiQL: questions in GraphQL, with examples',
    type: 'text/html',
    answer: 'The page. With `query` it opens with that question, and asks it when told to.',
    query: { query: 'a question to open with' },
  })
  getIde(): string {
    return this.page;
  }

  /** @throws ApiError NOT_FOUND */
  @Get(':name')
  @Described({
    tag: 'Pages',
    summary: 'A file of that page',
    type: '*/*',
    answer: 'The file.',
    parts: { name: 'Its name' },
    refusals: { 404: 'There is no such file.' },
  })
  getFile(@Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply): Buffer {
    return this.files.send(name, reply);
  }
}
