import { render } from 'preact';
import { forgetEarly } from './data/early.js';
import { findThere } from './data/find-there.js';
import { useView } from './data/use-view.js';
import { MissingPage } from './pages/missing.js';
import { PAGES } from './pages/pages.js';
import { Shell } from './parts/shell.js';

/** The page that the address names, inside the shell that all pages share. */
function Dashboard() {
  const view = useView();
  const page = PAGES.find(({ path }) => path.test(view.path));
  const Content = page?.Content ?? MissingPage;
  return (
    <Shell view={view}>
      <Content view={view} />
    </Shell>
  );
}

/** Draws the page of the address, even while the server still sends the rest of it. */
export async function draw(): Promise<void> {
  const root = await findThere(() => document.getElementById('app') ?? undefined);
  if (root !== undefined) render(<Dashboard />, root);
  forgetEarly();
}
