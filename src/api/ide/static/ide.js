import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import examples from './examples.json';
import './ide.css';

// The key that was entered on the page at `/`; the headers of a query can override it.
const sessionKey = sessionStorage.getItem('hindsight-key');

const fetcher = async (question, { headers } = {}) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(sessionKey && { 'x-api-key': sessionKey }),
      ...headers,
    },
    body: JSON.stringify(question),
  });
  return response.json();
};

// GraphiQL names tabs by their operations.
const defaultTabs = examples.map(({ name, title, query }) => ({
  query: `# ${title}\n${query.replace(/^\{/, `query ${name} {`)}\n`,
}));
// A query from a link opens in its own tab, and only runs when the user runs it.
const query = new URLSearchParams(location.search).get('query') ?? undefined;
if (query !== undefined) defaultTabs.unshift({ query });
createRoot(document.getElementById('ide')).render(
  createElement(GraphiQL, { fetcher, defaultTabs, query, shouldPersistHeaders: false }),
);
