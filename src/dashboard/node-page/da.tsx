import { render } from 'preact';
import { NodePage } from './node-page.js';

const root = document.getElementById('app');
if (root !== null) render(<NodePage />, root);
