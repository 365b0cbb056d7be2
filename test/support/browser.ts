import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findProgram } from './programs.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How a page is viewed. */
export interface Looking {
  readonly width: number;
  readonly colours: 'light' | 'dark';
  /** A selector for an element that exists once the page has drawn; by default the marks of our own pages. */
  readonly until?: string;
  /** The page's clock; ms since 1970. The computer's clock when left out. */
  readonly nowMs?: number;
}

/** A page that is open in a browser. */
export interface OpenPage {
  readonly page: Page;
  /** Errors on the page: script errors, missing files, violations of its policy. */
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
  // The sandbox does not start as root, nor in most containers. The browser opens only our own pages.
  return chromium.launch({ executablePath, chromiumSandbox: false, args: ['--renderer-process-limit=1'] });
}

/**
 * The context in which a browser opens pages: one process, which has drawn our pages before. A new process takes a second for
 * each page.
 */
const contexts = new WeakMap<Browser, Promise<BrowserContext>>();

async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' });
  // The process lives as long as a page is open.
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
  // A set clock applies to all pages of a context.
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

/** How often a page whose clock hardly moves gets another millisecond. */
const LOOK_EVERY_MS = 20;

/**
 * Draws a page whose clock hardly moves, however busy the machine: queries that a page repeats after seconds are not repeated yet.
 *
 * @param page in a context of its own: the clock is that of all pages of the context
 */
export async function drawInNoTime(page: Page, url: string): Promise<void> {
  await page.clock.install({ time: 0 });
  // The clock ran until now: it can only be stopped at a later time.
  await page.clock.pauseAt(3_600_000);
  await page.goto(url);
  const ready = page.locator('html[data-ready="true"]');
  while ((await ready.count()) === 0) {
    await page.clock.runFor(1);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Only the first rows of a long table, and the first marks of a timeline, are checked: the others are alike. */
const WHERE =
  "{ exclude: ['tbody tr:nth-child(n + 12)', '.mark:nth-child(n + 12)', '.bar-line a:nth-child(n + 12)'] }";

/**
 * Rules about the appearance and size of elements. All other rules are about content, which neither colours nor widths change.
 */
const OF_LOOKS = "runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'],";

/**
 * Accessibility barriers for people with low vision or without a mouse: each broken rule with the elements that break it.
 *
 * @param looks whether only rules that depend on colours and width are checked, on a page that was already checked
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
