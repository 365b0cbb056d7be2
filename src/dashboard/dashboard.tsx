import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import { forgetEarly } from './data/early.js';
import { findThere } from './data/find-there.js';
import { useView } from './data/use-view.js';
import { useArrival } from './frame/arrival.js';
import { Frame } from './frame/frame.js';
import { MissingPage } from './pages/missing.js';
import { findPage, IN_DASHBOARD } from './pages/pages.js';
import { Skeleton } from './parts/card.js';

/** The page that the address names, inside the frame that all pages share. */
function Dashboard() {
  const view = useView();
  const page = findPage(view.path);
  useArrival(view.path);
  return (
    <Frame view={view} usualRange={page?.usualRange}>
      <Content key={view.path} />
    </Frame>
  );
}

function Content() {
  const view = useView();
  const page = findPage(view.path);
  const [, draw] = useState(0);
  useEffect(() => {
    if (page === undefined || page.Content !== undefined) return;
    page.load().then(
      () => draw((count) => count + 1),
      // The service was upgraded, and its scripts have other names. The document is loaded again, with the new ones.
      () => location.reload(),
    );
  }, [page]);
  if (page === undefined) return <MissingPage />;
  if (page.Content !== undefined) return <page.Content view={view} />;
  return <Skeleton lines={6} />;
}

/**
 * Draws the page of the address, even while the server still sends the rest of it.
 * @throws Error if the connection broke before the place of the page came
 */
export async function draw(): Promise<void> {
  const root = await findThere(() => document.getElementById('app') ?? undefined);
  if (root === undefined) throw new Error('the page came without its place');
  render(
    <LocationProvider scope={IN_DASHBOARD}>
      <Dashboard />
    </LocationProvider>,
    root,
  );
  forgetEarly();
}
