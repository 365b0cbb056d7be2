import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ApiError } from '../errors.js';
import type { HttpReply } from '../graphql/http-messages.js';

const require = createRequire(import.meta.url);

/** Seen from `src` and from `dist` alike, so that a build has nothing to copy. */
const FOLDER = new URL('../../../src/api/landing/static/', import.meta.url);

/** A page of ours loads nothing from elsewhere, and nothing may frame it. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A file of a page. */
export function readStatic(name: string, folder: URL = FOLDER): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

/** A file that a page loads: of our own folder, or of a package. */
interface PageFile {
  readonly type: string;
  readonly from: URL;
}

/** A script of a page. */
export function script(from: URL): PageFile {
  return { type: 'text/javascript; charset=utf-8', from };
}

/** A style sheet of a page. */
export function style(from: URL): PageFile {
  return { type: 'text/css; charset=utf-8', from };
}

/** A file of an installed package. */
export function inPackage(name: string, file: string): URL {
  return new URL(file, pathToFileURL(require.resolve(`${name}/package.json`)));
}

/** The files that a page loads, by their names. */
export class PageFiles {
  private readonly bodies = new Map<string, Buffer>();

  constructor(private readonly files: Readonly<Record<string, PageFile>>) {}

  /**
   * From the disk when it is first asked for: most processes never show the page.
   * @throws ApiError NOT_FOUND
   */
  send(name: string, reply: Pick<HttpReply, 'header'>): Buffer {
    const file = Object.hasOwn(this.files, name) ? this.files[name] : undefined;
    if (file === undefined) throw new ApiError('NOT_FOUND', 'There is no such file.');
    const body = this.bodies.get(name) ?? readFileSync(file.from);
    this.bodies.set(name, body);
    reply.header('content-type', file.type);
    return body;
  }
}
