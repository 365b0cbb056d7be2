import type { ComponentType } from 'preact';
import type { View } from '../data/view.js';

type PageContent = ComponentType<{ readonly view: View }>;

/** A page of the dashboard. Its code is loaded when it is needed. */
export class DashboardPage {
  /** Undefined until the page is loaded. */
  Content: PageContent | undefined;

  /** @param usualRange for pages with a range, which the control of times sets: the range without a choice, in words */
  constructor(
    readonly path: RegExp,
    private readonly importContent: () => Promise<PageContent>,
    readonly usualRange?: string,
  ) {}

  async load(): Promise<void> {
    this.Content ??= await this.importContent();
  }
}

const page = (path: RegExp, load: () => Promise<PageContent>, usualRange?: string) =>
  new DashboardPage(path, load, usualRange);

/** All pages. The server sends the shell at the same paths (`api/pages/pages.controller.ts`). */
const PAGES: readonly DashboardPage[] = [
  page(/^\/$/, async () => (await import('./fleet.js')).FleetPage),
  page(/^\/(?:node|chain)\/./, async () => (await import('./owner.js')).OwnerPage, 'Up to 7 days'),
  page(/^\/incidents$/, async () => (await import('./incidents.js')).IncidentsPage, 'All time'),
  page(/^\/incident\/./, async () => (await import('./incident.js')).IncidentPage),
  page(/^\/submissions$/, async () => (await import('./submissions.js')).SubmissionsPage, 'All time'),
  page(/^\/submission\/./, async () => (await import('./submission.js')).SubmissionPage),
  page(/^\/block\/[^/]+\/./, async () => (await import('./block.js')).BlockPage),
  page(/^\/cost$/, async () => (await import('./cost.js')).CostPage),
  page(/^\/alerts$/, async () => (await import('./alerts.js')).AlertsPage),
];

export function findPage(path: string): DashboardPage | undefined {
  return PAGES.find((each) => each.path.test(path));
}

/** Addresses that are drawn without loading another document. */
export const IN_DASHBOARD =
  /^\/(?:$|\?|(?:node|chain|incident|submission|block|incidents|submissions|cost|alerts)(?:[/?]|$))/;
