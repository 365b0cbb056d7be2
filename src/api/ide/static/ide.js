import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import examples from './examples.json';
import './ide.css';

// The key that was given on the page at `/`; another one can be set among the headers of a query.
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

// Tabs bear the names of their operations.
const defaultTabs = examples.map(({ name, title, query }) => ({
  query: `# ${title}\n${query.replace(/^\{/, `query ${name} {`)}\n`,
}));
// What a link brings is opened in a tab of its own, and not asked before somebody says so.
const query = new URLSearchParams(location.search).get('query') ?? undefined;
if (query !== undefined) defaultTabs.unshift({ query });
createRoot(document.getElementById('ide')).render(
  createElement(GraphiQL, { fetcher, defaultTabs, query, shouldPersistHeaders: false }),
);
