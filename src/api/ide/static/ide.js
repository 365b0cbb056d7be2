'use strict';

/* global GraphiQL, React, ReactDOM */

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

async function start() {
  const examples = await (await fetch('/ide/examples.json')).json();
  // Tabs bear the names of their operations.
  const defaultTabs = examples.map(({ name, title, query }) => ({
    query: `# ${title}\n${query.replace(/^\{/, `query ${name} {`)}\n`,
  }));
  // What a link brings is opened in a tab of its own, and not asked before somebody says so.
  const query = new URLSearchParams(location.search).get('query') ?? undefined;
  if (query !== undefined) defaultTabs.unshift({ query });
  ReactDOM.createRoot(document.getElementById('ide')).render(
    React.createElement(GraphiQL, { fetcher, defaultTabs, query, shouldPersistHeaders: false }),
  );
}

void start();
