import { updateSchema } from 'cm6-graphql';
import type { EditorView } from '@codemirror/view';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keyHeader } from '../data/ask.js';
import { openAnswer, openJsonEditor, openQueryEditor, setText } from './editors.js';
import examples from './examples.json';
import { nameAt } from './operation-name.js';
import { SchemaPanel } from './schema-panel.js';

/** Where a query that is being written is kept, so that a reload does not lose it. */
const DRAFT = 'hindsight-query';

interface Answer {
  readonly text: string;
  readonly facts: string;
}

interface GraphQlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions?: { readonly cost?: { readonly requested?: number } };
}

/** Most characters that are shown of an answer that is not JSON, such as the page of a proxy. */
const LONGEST_TEXT = 2_000;

function readAnswer(text: string): GraphQlAnswer | undefined {
  try {
    return JSON.parse(text) as GraphQlAnswer;
  } catch {
    return undefined;
  }
}

async function send(body: object): Promise<{ answer: GraphQlAnswer; status: number; ms: number }> {
  const began = performance.now();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keyHeader() },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const answer = readAnswer(text) ?? { errors: [{ message: text.slice(0, LONGEST_TEXT) }] };
  return { answer, status: response.status, ms: Math.round(performance.now() - began) };
}

async function runQuery(query: string, variables: string, cursor: number): Promise<Answer> {
  try {
    const given: unknown = variables.trim() === '' ? {} : JSON.parse(variables);
    const { answer, status, ms } = await send({
      query,
      variables: given,
      operationName: nameAt(query, cursor),
    });
    const cost = answer.extensions?.cost?.requested;
    const facts = [`HTTP ${status}`, `${ms} ms`, ...(cost === undefined ? [] : [`cost ${cost}`])];
    return { text: JSON.stringify(answer, null, 2), facts: facts.join(' · ') };
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? 'The variables are not JSON' : 'The service does not answer';
    return { text: `// ${reason}: ${(error as Error).message}`, facts: '' };
  }
}

/** A query of a link opens first, only runs when somebody runs it, and does not replace the draft. */
const linked = new URLSearchParams(location.search).get('query');

function firstQuery(): string {
  return linked ?? localStorage.getItem(DRAFT) ?? exampleText(0);
}

function exampleText(index: number): string {
  const example = examples[index];
  return example ? `# ${example.title}\n${example.query}\n` : '';
}

interface Editors {
  readonly query: EditorView;
  readonly variables: EditorView;
  readonly answer: EditorView;
}

function Ide() {
  const [queryPlace, variablesPlace, answerPlace] = [
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
  ];
  const editors = useRef<Editors>(undefined);
  const runs = useRef(0);
  const [facts, setFacts] = useState('');
  const [schema, setSchema] = useState<GraphQLSchema>();
  const [explained, explain] = useState<{ type: string; field?: string | undefined }>({ type: 'Query' });
  const [isExplaining, setExplaining] = useState(window.innerWidth >= 1_200);

  const run = async (): Promise<void> => {
    if (!editors.current) return;
    const { query, variables, answer } = editors.current;
    runs.current += 1;
    const own = runs.current;
    setFacts('…');
    const { text, facts: found } = await runQuery(
      query.state.doc.toString(),
      variables.state.doc.toString(),
      query.state.selection.main.head,
    );
    // A later run has begun, and its answer may be there already.
    if (own !== runs.current) return;
    setText(answer, text);
    setFacts(found);
  };

  const explainFrom = async (query: EditorView): Promise<void> => {
    try {
      const loaded = await loadSchema();
      updateSchema(query, loaded);
      setSchema(loaded);
    } catch (error) {
      setFacts(`No schema: ${(error as Error).message}`);
    }
  };

  useEffect(() => {
    if (!queryPlace.current || !variablesPlace.current || !answerPlace.current) return;
    const query = openQueryEditor({
      place: queryPlace.current,
      text: firstQuery(),
      onRun: () => void run(),
      onChange: (text) => {
        if (linked === null) localStorage.setItem(DRAFT, text);
      },
      onExplain: (type, field) => {
        explain({ type, field });
        setExplaining(true);
      },
    });
    const variables = openJsonEditor(variablesPlace.current, 'Variables', () => void run());
    editors.current = { query, variables, answer: openAnswer(answerPlace.current) };
    void explainFrom(query);
    document.documentElement.dataset['ready'] = 'true';
  }, []);

  const choose = (index: number): void => {
    if (editors.current) setText(editors.current.query, exampleText(index));
  };

  return (
    <>
      <header>
        <a href="/">Hindsight</a>
        <h1>GraphQL</h1>
        <select
          aria-label="Examples"
          value=""
          onChange={({ currentTarget }) => {
            choose(Number(currentTarget.value));
            currentTarget.value = '';
          }}
        >
          <option value="">Examples</option>
          {examples.map(({ name, title }, index) => (
            <option key={name} value={index}>
              {title}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => void run()} title="Ctrl-Enter">
          Run
        </button>
        <span class="quiet" role="status">
          {facts}
        </span>
        <button type="button" aria-pressed={isExplaining} onClick={() => setExplaining(!isExplaining)}>
          Schema
        </button>
      </header>
      <main class={isExplaining ? 'explained' : undefined}>
        <div class="query" ref={queryPlace} />
        <details class="variables">
          <summary>Variables</summary>
          <div ref={variablesPlace} />
        </details>
        <div class="answer" ref={answerPlace} />
        {isExplaining && schema && (
          <SchemaPanel schema={schema} open={explained} onOpen={(type) => explain({ type })} />
        )}
      </main>
    </>
  );
}

async function loadSchema(): Promise<GraphQLSchema> {
  const { answer, status } = await send({ query: getIntrospectionQuery() });
  if (status === 401) throw new Error('enter the API key on the first page, then reload this page');
  if (!answer.data) throw new Error(answer.errors?.[0]?.message ?? `HTTP ${status}`);
  return buildClientSchema(answer.data as IntrospectionQuery);
}

const root = document.getElementById('ide');
if (root) render(<Ide />, root);
