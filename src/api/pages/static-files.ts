import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip, type Gzip } from 'node:zlib';
import { formatTime, millisToNanos, type Millis } from '../../domain/time.js';
import { builtFile } from '../../platform/package-files.js';
import type { ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';

/** The output folder of `vite build`. */
const PAGES = builtFile('pages/');

/** Our pages load nothing from elsewhere and may not be framed. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** File names contain a digest of the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** `gzip;q=0` means that gzip is not accepted. */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;

function takesGzip({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return TAKES_GZIP.test(String(headers['accept-encoding']));
}

/** `src/dashboard/data/questions.ts`: the first queries of the page at an address. */
interface DashboardQuestions {
  readonly firstQuestions: (view: {
    readonly path: string;
    readonly get: (name: string) => string;
  }) => (readonly [text: string, id: string, variables: (nowMs: number) => object])[];
  readonly bodyOf: (text: string, variables: object) => string;
}

/** Loads the dashboard's own module, so that both send the same queries. */
export function loadQuestions(): Promise<DashboardQuestions> {
  return import(new URL('questions.js', PAGES).href) as Promise<DashboardQuestions>;
}

/** A page that is sent in parts, each as soon as it is available; compressed for clients that accept gzip. */
export class PageStream {
  readonly stream: Gzip | PassThrough;

  constructor(reply: Pick<HttpReply, 'header' | 'request'>) {
    const isPacked = takesGzip(reply.request);
    this.stream = isPacked ? createGzip({ level: 1 }) : new PassThrough();
    reply.header('vary', 'accept-encoding');
    if (isPacked) reply.header('content-encoding', 'gzip');
  }

  write(html: string): void {
    if (this.stream.destroyed || this.stream.writableEnded) return;
    this.stream.write(html);
    // Without a flush, gzip waits for more data.
    if ('flush' in this.stream) this.stream.flush(constants.Z_SYNC_FLUSH);
  }

  end(html: string): void {
    if (!this.stream.destroyed) this.stream.end(html);
  }
}

/** Values that a page cannot query. */
type PageValues = Pick<ApiOptions, 'clock' | 'version' | 'sampleChain'>;

/** The files of a dashboard's page that its shell does not name, by the name of the page's source. */
type PageScripts = Readonly<Record<string, readonly string[] | undefined>>;

/** The shell of the dashboard, for each of its pages. Read from the disk on first use, because most processes never serve one. */
export class DashboardShell {
  private readonly page = new HtmlPage('dashboard/index.html');
  private scripts: PageScripts | undefined;

  /**
   * The shell, which names the scripts of a page: else a browser learns of them only once other scripts have run.
   * @param name of the page's source in `src/dashboard/pages`
   * @throws Error if the pages were not built
   */
  readFor(name: string, options: PageValues, at: FirstMoment): string {
    this.scripts ??= JSON.parse(readFileSync(new URL('scripts.json', PAGES), 'utf8')) as PageScripts;
    const links = (this.scripts[name] ?? []).map((file) => `<link rel="modulepreload" href="/${file}" />`);
    return this.page.readFor(options, at).replace('</head>', `${links.join('')}</head>`);
  }
}

/** The present of the server, in ms since 1970, and the zone in which it answers the first queries of a page. */
export interface FirstMoment {
  readonly nowMs: Millis;
  readonly zone: string;
}

/** A page, by the path of its source in `src`. Read from the disk on first use, because most processes never serve one. */
export class HtmlPage {
  private html: string | undefined;

  constructor(private readonly path: string) {}

  /** @throws Error if the pages were not built */
  read(): string {
    return (this.html ??= readFileSync(new URL(this.path, PAGES), 'utf8'));
  }

  /** The page with the values that it cannot query: the release, a chain of samples, and the moment of its first answers. */
  readFor(
    { clock, version, sampleChain = '' }: PageValues,
    { nowMs, zone }: FirstMoment = { nowMs: clock.now(), zone: '' },
  ): string {
    return this.read()
      .replace('{{version}}', version.replace(/[<>&]/g, ''))
      .replace('{{sample}}', sampleChain.replace(/[<>&"]/g, ''))
      .replace('{{zone}}', zone.replace(/[<>&"]/g, ''))
      .replace('{{now}}', formatTime(millisToNanos(nowMs), 3));
  }
}

/** A file as on the disk, and compressed once for all clients that accept gzip. */
interface Body {
  readonly plain: Buffer;
  readonly packed: Promise<Buffer>;
}

export class PageFiles {
  private names: ReadonlySet<string> | undefined;
  private readonly bodies = new Map<string, Body>();

  /**
   * Reads the file from the disk on first use; compressed for clients that accept gzip.
   * @throws ApiError NOT_FOUND
   */
  async send(name: string, reply: Pick<HttpReply, 'header' | 'request'>): Promise<Buffer> {
    const folder = new URL('assets/', PAGES);
    this.names ??= new Set(readdirSync(folder));
    const type = TYPES[extname(name)];
    const body = this.bodies.get(name) ?? (this.names.has(name) ? read(new URL(name, folder)) : undefined);
    if (body === undefined || type === undefined)
      throw new ApiError('NOT_FOUND', 'This file does not exist.');
    this.bodies.set(name, body);
    reply.header('content-type', type).header('cache-control', FOR_EVER).header('vary', 'accept-encoding');
    if (!takesGzip(reply.request)) return body.plain;
    const packed = await body.packed;
    reply.header('content-encoding', 'gzip');
    return packed;
  }
}

/** Undefined if the file is gone: an upgrade replaces the files of a service that still runs. */
function read(file: URL): Body | undefined {
  if (!existsSync(file)) return undefined;
  const plain = readFileSync(file);
  return { plain, packed: promisify(gzip)(plain, { level: 9 }) };
}
