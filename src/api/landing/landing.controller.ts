import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { Described } from '../openapi/described.js';
import { Page, PAGE_POLICY, PageFiles } from './static-files.js';

/** The page at `/`: what this is, how the nodes are, and a box to ask in; and what all pages load. */
@Controller()
export class LandingController {
  private readonly page = new Page('landing/static/landing.html');
  private readonly files = new PageFiles();

  constructor(@Inject(API_OPTIONS) private readonly options: ApiOptions) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: 'How the nodes are, and a box to ask in',
    type: 'text/html',
    answer: 'The page.',
  })
  getPage(): string {
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
