import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import type { HttpReply } from '../graphql/http-messages.js';
import { inPackage, PAGE_POLICY, PageFiles, readStatic, script, style } from '../landing/static-files.js';
import { Described } from '../openapi/described.js';

const FOLDER = new URL('../../../src/api/node-interface/static/', import.meta.url);

/** The page at `/nodes/{id}/da`: the same for all nodes, of no secret; what it shows it asks for with the key that it is given. */
@Controller()
export class NodePageController {
  private readonly page = readStatic('da.html', FOLDER);
  private readonly files = new PageFiles({
    'da.css': style(new URL('da.css', FOLDER)),
    'da.js': script(new URL('da.js', FOLDER)),
    'words.js': script(new URL('words.js', FOLDER)),
    'charts.js': script(new URL('charts.js', FOLDER)),
    'uplot.js': script(inPackage('uplot', 'dist/uPlot.iife.min.js')),
    'uplot.css': style(inPackage('uplot', 'dist/uPlot.min.css')),
  });

  @Get('nodes/:id/da')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: "A node's submissions, statistics and health, every 30 s",
    type: 'text/html',
    answer: 'The page. With `at` it shows that moment, and stays there.',
    parts: { id: 'Id of the node.' },
    query: { at: 'the moment to show, ISO 8601 with a zone' },
  })
  getNodePage(): string {
    return this.page;
  }

  /** @throws ApiError NOT_FOUND */
  @Get('node-page/:name')
  @Described({
    tag: 'Pages',
    summary: 'A file of that page',
    type: '*/*',
    answer: 'The file.',
    parts: { name: 'Its name' },
  })
  getNodePageFile(@Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply): Buffer {
    return this.files.send(name, reply);
  }
}
