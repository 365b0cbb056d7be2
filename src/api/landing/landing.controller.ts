import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { Described } from '../openapi/described.js';
import { Page, PAGE_POLICY, PageFiles } from './static-files.js';

/** The shell of the dashboard, of no secret: what it shows it asks GraphQL for. And what all pages load. */
@Controller()
export class LandingController {
  private readonly page = new Page('dashboard/index.html');
  private readonly files = new PageFiles();

  constructor(@Inject(API_OPTIONS) private readonly options: ApiOptions) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: 'How all nodes are',
    type: 'text/html',
    answer: 'The page.',
  })
  getPage(): string {
    return this.shell();
  }

  @Get('node/:id')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: 'All that is known of a node',
    type: 'text/html',
    answer: 'The page. It is the same for all nodes, and says where there is none.',
    parts: { id: 'Id of the node.' },
  })
  getNodeDashboard(): string {
    return this.shell();
  }

  @Get('chain/:id')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: 'All that is known of a chain',
    type: 'text/html',
    answer: 'The page. It is the same for all chains, and says where there is none.',
    parts: { id: 'Id of the chain.' },
  })
  getChainDashboard(): string {
    return this.shell();
  }

  private shell(): string {
    return this.page.read().replace('{{version}}', this.options.version.replace(/[<>&]/g, ''));
  }

  /** @throws ApiError NOT_FOUND */
  @Get('assets/:name')
  @Described({
    tag: 'Pages',
    summary: 'A script or a style that pages load',
    type: '*/*',
    answer: 'The file. It never changes: another release names others.',
    parts: { name: 'Its name' },
    refusals: { 404: 'There is no such file.' },
  })
  getAsset(@Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply): Buffer {
    return this.files.send(name, reply);
  }
}
