import { Controller, Get, Header } from '@nestjs/common';
import { readStatic, PAGE_POLICY } from '../landing/static-files.js';
import { Described } from '../openapi/described.js';

const FOLDER = new URL('../../../src/api/node-interface/static/', import.meta.url);

/** The page at `/nodes/{id}/da`: the same for all nodes, of no secret; what it shows it asks for with the key that it is given. */
@Controller()
export class NodePageController {
  private readonly page = readStatic('da.html', FOLDER);
  private readonly style = readStatic('da.css', FOLDER);
  private readonly script = readStatic('da.js', FOLDER);

  @Get('nodes/:id/da')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: "A node's submissions, statistics and health, every 30 s",
    type: 'text/html',
    answer: 'The page.',
    parts: { id: 'Id of the node.' },
  })
  getNodePage(): string {
    return this.page;
  }

  @Get('node-page/da.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Described({ tag: 'Pages', summary: 'Style of that page', type: 'text/css', answer: 'It.' })
  getNodePageStyle(): string {
    return this.style;
  }

  @Get('node-page/da.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Described({ tag: 'Pages', summary: 'Script of that page', type: 'text/javascript', answer: 'It.' })
  getNodePageScript(): string {
    return this.script;
  }
}
