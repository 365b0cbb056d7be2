import { readFileSync } from 'node:fs';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Seen from `src` and from `dist` alike, so that a build has nothing to copy. */
const FOLDER = new URL('../../../src/api/landing/static/', import.meta.url);
/** The page loads nothing from elsewhere, and nothing may frame it. */
export const LOADS_NOTHING_FROM_ELSEWHERE =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page at `/`: what this is, how the nodes are, and a box to ask in. */
@Controller()
export class LandingController {
  private readonly page: string;
  private readonly style = read('landing.css');
  private readonly script = read('landing.js');

  constructor(@Inject(API_OPTIONS) options: ApiOptions) {
    this.page = read('landing.html').replace('{{version}}', options.version.replace(/[<>&]/g, ''));
  }

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', LOADS_NOTHING_FROM_ELSEWHERE)
  getPage(): string {
    return this.page;
  }

  @Get('landing.css')
  @Header('content-type', 'text/css; charset=utf-8')
  getStyle(): string {
    return this.style;
  }

  @Get('landing.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  getScript(): string {
    return this.script;
  }
}

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}
