import { readFileSync } from 'node:fs';

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
