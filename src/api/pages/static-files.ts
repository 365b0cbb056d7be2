import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip, type Gzip } from 'node:zlib';
import { formatTime, millisToNanos } from '../../domain/time.js';
import { packageFile } from '../../platform/package-files.js';
import type { ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';

/** The folder that `vite build` writes pages to. */
const PAGES = packageFile('dist/pages/');

/** A page of ours loads nothing from elsewhere, and nothing may frame it. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Names hold a digest of what is in them. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Who says `gzip;q=0` takes none. */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;

/** Whether a request's client takes what is packed. */
function takesGzip({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return TAKES_GZIP.test(String(headers['accept-encoding']));
}

/** `src/dashboard/data/questions.ts`: what the page of an address asks first. */
interface DashboardQuestions {
  readonly firstQuestions: (view: {
    readonly path: string;
    readonly get: (name: string) => string;
  }) => (readonly [text: string, id: string, variables: (nowMs: number) => object])[];
  readonly bodyOf: (text: string, variables: object) => string;
}

/** The file that the dashboard itself asks by, so that both ask the same. */
export function loadQuestions(): Promise<DashboardQuestions> {
  return import(new URL('questions.js', PAGES).href) as Promise<DashboardQuestions>;
}

/** A page that is sent in parts, each as soon as it is there; packed for who takes it so. */
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
    // Else it waits for more to be packed with it.
    if ('flush' in this.stream) this.stream.flush(constants.Z_SYNC_FLUSH);
  }

  end(html: string): void {
    if (!this.stream.destroyed) this.stream.end(html);
  }
}

/** A page, by the path of its source in `src`. From the disk when it is first asked for: most processes never show one. */
export class Page {
  private html: string | undefined;

  constructor(private readonly path: string) {}

  /** @throws Error if the pages were not built */
  read(): string {
    return (this.html ??= readFileSync(new URL(this.path, PAGES), 'utf8'));
  }

  /** The page with what it cannot ask for: the release, and the present by the server's clock. */
  readFor({ clock, version }: Pick<ApiOptions, 'clock' | 'version'>, nowMs = clock.now()): string {
    return this.read()
      .replace('{{version}}', version.replace(/[<>&]/g, ''))
      .replace('{{now}}', formatTime(millisToNanos(nowMs), 3));
  }
}

/** A file as it stands on the disk, and packed once for all who take it so. */
interface Body {
  readonly plain: Buffer;
  readonly packed: Promise<Buffer>;
}

/** The files that pages load, by their names. */
export class PageFiles {
  private names: ReadonlySet<string> | undefined;
  private readonly bodies = new Map<string, Body>();

  /**
   * From the disk when it is first asked for; packed for who takes gzip.
   * @throws ApiError NOT_FOUND
   */
  async send(name: string, reply: Pick<HttpReply, 'header' | 'request'>): Promise<Buffer> {
    const folder = new URL('assets/', PAGES);
    this.names ??= new Set(readdirSync(folder));
    const type = TYPES[extname(name)];
    if (!this.names.has(name) || type === undefined)
      throw new ApiError('NOT_FOUND', 'There is no such file.');
    const body = this.bodies.get(name) ?? read(new URL(name, folder));
    this.bodies.set(name, body);
    reply.header('content-type', type).header('cache-control', FOR_EVER).header('vary', 'accept-encoding');
    if (!takesGzip(reply.request)) return body.plain;
    const packed = await body.packed;
    reply.header('content-encoding', 'gzip');
    return packed;
  }
}

function read(file: URL): Body {
  const plain = readFileSync(file);
  return { plain, packed: promisify(gzip)(plain, { level: 9 }) };
}
