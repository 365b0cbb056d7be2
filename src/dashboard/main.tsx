import { askEarly } from './data/early.js';
import { viewOf } from './data/view.js';
import { findPage } from './pages/pages.js';

const view = viewOf(location.href);
// Starts before the code that draws is loaded: the server answers while the browser loads and parses that code.
askEarly(view);
Promise.all([import('./dashboard.js'), findPage(view.path)?.load()])
  .then(([{ draw }]) => draw())
  .catch((error: unknown) => {
    const place = document.getElementById('app') ?? document.body;
    place.textContent = 'A part of this page could not be loaded. Load the page again.';
    // The browser's console shows the reason.
    throw error;
  });
