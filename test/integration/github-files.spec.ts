import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const WORKFLOWS = '.github/workflows';
const FORMS = '.github/ISSUE_TEMPLATE';

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'timeout-minutes'?: number;
        readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
      }
    >
  >;
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: object }[];
}

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

describe.each(readdirSync(WORKFLOWS))('the workflow %s', (name) => {
  const text = read(WORKFLOWS, name);
  const { permissions, jobs } = parse(text) as Workflow;

  it('pins each action to a commit, and names its version for Dependabot', () => {
    const actions = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
    for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('may only read, unless a job says otherwise, and ends in time', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('runs only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

describe('the forms for issues', () => {
  it.each(readdirSync(FORMS).filter((name) => name !== 'config.yml'))('has questions in %s', (name) => {
    const { name: title, description, body } = parse(read(FORMS, name)) as Form;
    expect(title.length * description.length).toBeGreaterThan(0);
    const questions = body.filter(({ type }) => type !== 'markdown');
    const ids = questions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, type, attributes } of questions) {
      expect(id).toMatch(/^[a-z]+$/);
      expect(['textarea', 'input', 'dropdown', 'checkboxes']).toContain(type);
      expect(attributes).toHaveProperty('label');
    }
  });
});

describe('the rules for contributors', () => {
  it('name files that exist', () => {
    const texts = [read('.github', 'pull_request_template.md'), read('.', 'CODE_OF_CONDUCT.md')].join('\n');
    for (const [name] of texts.matchAll(/\b[A-Z_]+\.md\b/g))
      expect([name, existsSync(name)]).toEqual([name, true]);
  });
});
