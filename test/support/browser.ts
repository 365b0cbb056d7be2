import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findProgram } from './programs.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How a page is looked at. */
export interface Looking {
  readonly width: number;
  readonly colours: 'light' | 'dark';
  /** A selector of what is there once it has drawn; what our own pages mark when left out. */
  readonly until?: string;
  /** What its clock shows; ms since 1970. The computer's own when left out. */
  readonly nowMs?: number;
}

/** A page that is open in a browser. */
export interface OpenPage {
  readonly page: Page;
  /** What went wrong in it: errors of its scripts, files that were not there, what its policy forbade. */
  readonly errors: readonly string[];
}

/**
 * Starts the computer's Chromium.
 * @throws when there is none
 */
export function startBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium');
  if (executablePath === undefined) {
    throw new Error('there is no chromium to look at pages with: apt-get install chromium');
  }
  // Its sandbox does not start under root, nor in most containers. It sees no page but ours.
  return chromium.launch({ executablePath, chromiumSandbox: false, args: ['--renderer-process-limit=1'] });
}

/** Where a browser opens pages: all in one process, which has drawn our pages before. To begin anew takes a second for each of them. */
const contexts = new WeakMap<Browser, Promise<BrowserContext>>();

async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' });
  // Its process stays while a page is open.
  await context.newPage();
  return context;
}

function contextOf(browser: Browser): Promise<BrowserContext> {
  const context = contexts.get(browser) ?? openContext(browser);
  contexts.set(browser, context);
  return context;
}

/** Opens a page of ours and waits until it has drawn. */
export async function openPage(
  browser: Browser,
  url: string,
  { width, colours, nowMs, until = 'main[aria-busy="false"], html[data-ready="true"]' }: Looking,
): Promise<OpenPage> {
  // A clock that was set is that of all pages of a context.
  const context = await (nowMs === undefined ? contextOf(browser) : openContext(browser));
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: colours });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  if (nowMs !== undefined) await page.clock.setFixedTime(nowMs);
  await page.goto(url);
  await page.locator(until).waitFor({ state: 'attached' });
  return { page, errors };
}

/** Of a long table the first rows are looked at: the others are alike. */
const WHERE = "{ exclude: ['tbody tr:nth-child(n + 12)'] }";

/** Rules about how elements are drawn, and how large: all others are about what is there, which neither colours nor widths change. */
const OF_LOOKS = "runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'],";

/**
 * What people who see little, or use no mouse, would meet: a rule and the elements that break it, each.
 * @param looks whether only what changes with colours and width is looked at, of a page that was looked at before
 */
export async function findBarriers(page: Page, looks = false): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(${WHERE}, { ${looks ? OF_LOOKS : ''} resultTypes: ['violations'] })`,
  )) as AxeResults;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}
