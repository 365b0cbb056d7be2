import { Controller, Get, Header, Inject } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { Described } from '../openapi/described.js';
import { PAGE_POLICY, readStatic } from './static-files.js';

/** The page at `/`: what this is, how the nodes are, and a box to ask in. */
@Controller()
export class LandingController {
  private readonly page: string;
  private readonly style = readStatic('landing.css');
  private readonly script = readStatic('landing.js');

  constructor(@Inject(API_OPTIONS) options: ApiOptions) {
    this.page = readStatic('landing.html').replace('{{version}}', options.version.replace(/[<>&]/g, ''));
  }

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
    return this.page;
  }

  @Get('landing.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Described({ tag: 'Pages', summary: 'Style of that page', type: 'text/css', answer: 'It.' })
  getStyle(): string {
    return this.style;
  }

  @Get('landing.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Described({ tag: 'Pages', summary: 'Script of that page', type: 'text/javascript', answer: 'It.' })
  getScript(): string {
    return this.script;
  }
}
