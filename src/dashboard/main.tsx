import { askEarly } from './data/early.js';
import { viewOf } from './data/view.js';

// Before all that draws is there: the server answers while the browser loads and reads it.
askEarly(viewOf());
void import('./dashboard.js').then(({ draw }) => draw());
