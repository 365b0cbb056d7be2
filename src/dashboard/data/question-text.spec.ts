import { spawnSync } from 'node:child_process';
import { parse } from 'graphql';
import { toCurl, withValues } from './question-text.js';

const QUESTION = `query Submission($id: ID!, $asOf: DateTime) {
  submission(id: $id, asOf: $asOf) {
    ...Row
  }
}

fragment Row on Submission {
  id
}
`;
const HOSTILE = `it's "$(id)" \\ \n\u202E$asOf`;

describe('a query to be pasted', () => {
  it('has its values in place of its variables', () => {
    const text = withValues(QUESTION, { id: 'alpha~7', asOf: null });
    expect(text).toContain('query {\n  submission(id: "alpha~7", asOf: null) {');
    expect(text).not.toContain('$');
    expect(() => parse(text)).not.toThrow();
  });

  it('has lists, and enums as words', () => {
    const rows = 'query Rows($ids: [ID!], $kinds: [Kind!]) { rows(ids: $ids, kinds: $kinds) { id } }';
    const text = withValues(rows, { ids: ['a', 'b'], kinds: ['HEADER', 'DATA'] });
    expect(text).toContain('rows(ids: ["a", "b"], kinds: [HEADER, DATA])');
    expect(() => parse(withValues(rows, { ids: [HOSTILE], kinds: [HOSTILE] }))).not.toThrow();
  });

  it('treats values as texts, whatever they contain', () => {
    expect(() => parse(withValues(QUESTION, { id: HOSTILE, asOf: null }))).not.toThrow();
  });
});

describe('a command to be pasted', () => {
  it('hands the query to curl, whatever its values contain', () => {
    const command = toCurl('http://127.0.0.1:4400', QUESTION, { id: HOSTILE }, false);
    const { stdout } = spawnSync('sh', [
      '-c',
      `curl() { for last; do :; done; printf %s "$last"; }\n${command}`,
    ]);
    expect(JSON.parse(String(stdout))).toMatchObject({ variables: { id: HOSTILE } });
  });

  it('names a key and never contains it', () => {
    expect(toCurl('http://x', QUESTION, {}, true)).toContain('x-api-key: $HINDSIGHT_KEY');
  });
});
