import type { ComponentType } from 'preact';
import type { View } from '../data/view.js';
import { BlockPage } from './block.js';
import { CostPage } from './cost.js';
import { FleetPage } from './fleet.js';
import { IncidentPage } from './incident.js';
import { SubjectPage } from './subject.js';
import { SubmissionPage } from './submission.js';

export interface DashboardPage {
  readonly path: RegExp;
  readonly Content: ComponentType<{ readonly view: View }>;
}

/** All pages. The server sends the shell at the same paths (`api/pages/pages.controller.ts`). */
export const PAGES: readonly DashboardPage[] = [
  { path: /^\/$/, Content: FleetPage },
  { path: /^\/(?:node|chain)\/./, Content: SubjectPage },
  { path: /^\/incident\/./, Content: IncidentPage },
  { path: /^\/submission\/./, Content: SubmissionPage },
  { path: /^\/cost$/, Content: CostPage },
  { path: /^\/block\/[^/]+\/./, Content: BlockPage },
];
