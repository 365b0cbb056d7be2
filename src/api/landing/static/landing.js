const NODES = `{ nodes { id url chain aggregator head pending submissionCount blockCount lastSuccessAt lastSeenAt retired
  claim claimDiffers da { state reason } node { state reason } } }`;

const EXAMPLES = {
  'Latest submissions': `{
  submissions(first: 10) {
    nodes { node { id } sequence occurredAt status kind daHeight blobCount sizeBytes evidence message }
    pageInfo { hasNextPage endCursor }
  }
}`,
  Failures: `{
  submissions(first: 20, filter: { statuses: [ERROR, NOT_INCLUDED_IN_BLOCK, TOO_BIG, INCORRECT_ACCOUNT_SEQUENCE] }) {
    nodes { node { id } occurredAt statusText message }
  }
}`,
  'What was lost': `{
  losses(first: 10) {
    nodes { node { id } kind from to minLost maxLost likelyLost explanation }
  }
}`,
  'Blocks still pending': `{
  blocks(first: 20, filter: { included: false }) {
    nodes { node { id } height time txCount headerDaHeight dataDaHeight checks { link hash signature } }
  }
}`,
  'Blocks and what proves them': `{
  blocks(first: 10) {
    nodes { node { id } height hash lastHeaderHash checks { link hash signature proposer data } }
  }
}`,
};

const byId = (id) => document.getElementById(id);

// What nodes said may hold characters that nobody sees and that turn the direction of the writing around them.
const INVISIBLE = new RegExp(
  '(?!(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic}))' +
    '(?![\\n\\ufe0e\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]',
  'gu',
);

const show = (element, text) => {
  element.textContent = text.replace(INVISIBLE, '?');
};

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) show(element, text);
  return element;
};

async function ask(query) {
  const key = sessionStorage.getItem('hindsight-key');
  const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
  const response = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  byId('key-form').hidden = response.status !== 401;
  return response.json();
}

const count = (digits) => (digits === null ? 'unknown' : BigInt(digits).toLocaleString());
const time = (text) =>
  text === null ? 'never' : new Date(text).toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' });

function badge(name, interval) {
  const state = interval?.state ?? 'UNKNOWN';
  return make('span', `state ${state}`, `${name} ${state.toLowerCase()}`);
}

function card(node) {
  const article = make('article', 'card');
  const name = make('h3');
  const link = make('a', '', node.id);
  link.href = `/nodes/${encodeURIComponent(node.id)}/da`;
  name.append(link);
  article.append(name, make('span', 'quiet', `${node.chain ?? 'chain not told yet'} · ${node.url}`));
  const states = make('div', 'states');
  states.append(badge('DA', node.da), badge('node', node.node));
  if (node.claimDiffers) states.append(make('span', 'state WARNING', `it claims “${node.claim}”`));
  article.append(states);
  for (const interval of [node.da, node.node]) {
    if (interval && interval.state !== 'HEALTHY') article.append(make('p', 'reason', interval.reason));
  }
  const facts = make('dl');
  const values = {
    Head: count(node.head),
    'Pending blocks': count(node.pending),
    'Blocks recorded': count(node.blockCount),
    'Submissions recorded': count(node.submissionCount),
    'Last success': time(node.lastSuccessAt),
    'Last seen': time(node.lastSeenAt),
  };
  for (const [name, value] of Object.entries(values))
    facts.append(make('dt', '', name), make('dd', '', value));
  article.append(facts);
  return article;
}

async function showNodes() {
  let cards;
  try {
    const { data, errors } = await ask(NODES);
    if (!data) throw new Error(errors?.[0]?.message ?? 'No answer.');
    cards = data.nodes.filter((node) => !node.retired).map(card);
    if (cards.length === 0) cards = [make('p', 'quiet', 'No node has been seen yet.')];
  } catch (error) {
    cards = [make('p', 'quiet', error.message)];
  }
  byId('nodes').replaceChildren(...cards);
}

async function run(event) {
  event?.preventDefault();
  const output = byId('answer');
  output.hidden = false;
  try {
    const { extensions, ...answer } = await ask(byId('query').value);
    show(output, JSON.stringify(answer, null, 2));
    byId('cost').textContent = extensions?.cost
      ? `cost ${extensions.cost.requested} of ${extensions.cost.limit}`
      : '';
  } catch (error) {
    show(output, error.message);
  }
}

for (const [name, query] of Object.entries(EXAMPLES)) {
  const button = make('button', '', name);
  button.type = 'button';
  button.addEventListener('click', () => {
    byId('query').value = query;
    void run();
  });
  byId('examples').append(button);
}
byId('query').value = EXAMPLES['Latest submissions'];
byId('ask').addEventListener('submit', (event) => void run(event));
byId('query').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run();
});
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('hindsight-key', byId('key').value);
  void showNodes();
});
void showNodes();
setInterval(() => void showNodes(), 10_000);
