import { readFileSync } from 'node:fs';

type Notes = Readonly<Record<string, unknown>>;

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<Record<string, Notes>>;

describe('package.json', () => {
  it('has a name that nobody else can take', () => {
    expect(manifest['name']).toMatch(/^@hindsight-da\//);
  });

  it.each(['overrides', 'engines'])('explains each of its %s in a sentence', (name) => {
    const [entries, notes] = [manifest[name] ?? {}, manifest[`//${name}`] ?? {}];
    expect(Object.keys(notes)).toEqual(Object.keys(entries));
    for (const note of Object.values(notes)) expect(note).toMatch(/^[A-Z0-9].{20,}\.$/);
  });
});
