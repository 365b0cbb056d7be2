/**
 * Pictures of the pages of a demo that runs, for the README: each page light, dark and as on a phone.
 *
 *     npm run demo                       # and a minute later, in another terminal
 *     npm run screenshots -- http://127.0.0.1:4400
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openPage, startBrowser, type Looking } from './browser.js';

const FOLDER = 'docs/images';
const MOST_BYTES = 150_000;
const QUALITY = 72;

interface Look extends Looking {
  readonly name: string;
}

/** A page, and its visible height on a wide screen. */
interface Scene {
  readonly name: string;
  readonly path: string;
  readonly height: number;
}

const LOOKS: readonly Look[] = [
  { name: 'light', colours: 'light', width: 1_280 },
  { name: 'dark', colours: 'dark', width: 1_280 },
  { name: 'phone', colours: 'light', width: 390 },
];
const PHONE_HEIGHT = 844;

const FROZEN = `{ incidents(filter: { nodes: ["made-up-b"], severities: [CRITICAL] }, first: 1) { nodes { id from } } }`;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The pages, each at a time with data. */
async function getScenes(url: string): Promise<Scene[]> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: FROZEN }),
  });
  const { data } = (await answer.json()) as {
    data: { incidents: { nodes: { id: string; from: string }[] } };
  };
  const [frozen] = data.incidents.nodes;
  if (!frozen) throw new Error(`${url} is no demo with a made-up year, or has not counted it yet`);
  const from = Date.parse(frozen.from);
  const asOf = new Date(from + 3 * HOUR_MS).toISOString();
  const amidst = new URLSearchParams({ asOf, filter: 'made-up' });
  const around = new URLSearchParams({ asOf, from: new Date(from - DAY_MS).toISOString(), to: asOf });
  const year = new URLSearchParams({
    from: new Date(from - 390 * DAY_MS).toISOString(),
    to: new Date(from + DAY_MS).toISOString(),
    chain: 'made-up-year',
  });
  return [
    { name: 'fleet', path: `/?${amidst.toString()}`, height: 1_180 },
    { name: 'node', path: `/node/made-up-b?${around.toString()}`, height: 1_400 },
    { name: 'incident', path: `/incident/${encodeURIComponent(frozen.id)}`, height: 900 },
    { name: 'submissions', path: `/submissions?${around.toString()}&chain=made-up-year`, height: 900 },
    { name: 'cost', path: `/cost?${year.toString()}`, height: 1_100 },
  ];
}

/** @returns the size of the picture in bytes */
async function take(browser: Browser, url: string, scene: Scene, look: Look): Promise<number> {
  const { page, errors } = await openPage(browser, url + scene.path, look);
  if (errors.length > 0) throw new Error(`${scene.name}: ${errors.join('; ')}`);
  const height = look.width < 500 ? PHONE_HEIGHT : scene.height;
  await page.setViewportSize({ width: look.width, height });
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready');
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(FOLDER, `${scene.name}-${look.name}.webp`), bytes);
  await page.close();
  return bytes.length;
}

const [url = 'http://127.0.0.1:4400', ...names] = process.argv.slice(2);
const scenes = await getScenes(url);
mkdirSync(FOLDER, { recursive: true });
const browser = await startBrowser();
try {
  for (const scene of scenes.filter(({ name }) => names.length === 0 || names.includes(name))) {
    for (const look of LOOKS) {
      const bytes = await take(browser, url, scene, look);
      process.stdout.write(`${scene.name}-${look.name}.webp ${bytes} bytes\n`);
      if (bytes > MOST_BYTES) process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
}
