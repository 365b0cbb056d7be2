import { render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { NodePage } from './node-page.js';

/** Links to other paths load them: they are other documents. */
const THIS_PAGE = location.pathname;

const root = document.getElementById('app');
if (root !== null)
  render(
    <LocationProvider scope={THIS_PAGE}>
      <NodePage />
    </LocationProvider>,
    root,
  );
