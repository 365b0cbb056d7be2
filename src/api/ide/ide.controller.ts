import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiError } from '../errors.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { PAGE_POLICY } from '../landing/static-files.js';
import { Described } from '../openapi/described.js';

/** Seen from `src` and from `dist` alike, so that a build has nothing to copy. */
const FOLDER = new URL('../../../src/api/ide/static/', import.meta.url);
const require = createRequire(import.meta.url);

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** GraphiQL's style sheet holds its fonts. */
const POLICY = `${PAGE_POLICY}; font-src data:`;

/** A file of the page: of our own folder, or of a package. */
interface IdeFile {
  readonly type: string;
  readonly from: URL;
}

const FILES: Readonly<Record<string, IdeFile>> = {
  'ide.css': { type: STYLE, from: new URL('ide.css', FOLDER) },
  'ide.js': { type: SCRIPT, from: new URL('ide.js', FOLDER) },
  'examples.json': { type: 'application/json; charset=utf-8', from: new URL('examples.json', FOLDER) },
  'graphiql.css': { type: STYLE, from: inPackage('graphiql', 'graphiql.min.css') },
  'graphiql.js': { type: SCRIPT, from: inPackage('graphiql', 'graphiql.min.js') },
  'react.js': { type: SCRIPT, from: inPackage('react', 'umd/react.production.min.js') },
  'react-dom.js': { type: SCRIPT, from: inPackage('react-dom', 'umd/react-dom.production.min.js') },
};

/** The page at `/ide`: GraphiQL, with the examples of the README. Its files are ours or stand in installed packages. */
@Controller('ide')
export class IdeController {
  private readonly files = new Map<string, Buffer>();

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', POLICY)
  @Described({
    tag: 'Pages',
    summary: 'GraphiQL: questions in GraphQL, with examples',
    type: 'text/html',
    answer: 'The page.',
  })
  getIde(): Buffer {
    return this.read(new URL('ide.html', FOLDER));
  }

  /** @throws ApiError NOT_FOUND */
  @Get(':name')
  @Described({
    tag: 'Pages',
    summary: 'A file of that page',
    type: '*/*',
    answer: 'The file.',
    parts: { name: 'Its name' },
  })
  getFile(@Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply): Buffer {
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (file === undefined) throw new ApiError('NOT_FOUND', 'There is no such file.');
    reply.header('content-type', file.type);
    return this.read(file.from);
  }

  /** From the disk when it is first asked for: most processes never show the page. */
  private read(from: URL): Buffer {
    const known = this.files.get(from.href);
    const file = known ?? readFileSync(from);
    this.files.set(from.href, file);
    return file;
  }
}

function inPackage(name: string, file: string): URL {
  return new URL(file, pathToFileURL(require.resolve(`${name}/package.json`)));
}
