import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';

describe('x', () => {
  let database: TestDatabase;
  let api: ApiServer;
  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url);
  });
  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });
  it('a', async () => {
    for (const q of [
      '{ nodes { id } }',
      '{ nodes { id } }',
      '{ nodes { id } }',
      '{ submissions(first: 2000) { nodes { id } } }',
      '{ submissions(first: 2) { nodes { id } } }',
      '{ blocks(first: 2) { nodes { id } } }',
      '{ blocks(first: 2) { nodes { height } } }',
      '{ losses(first: 2) { nodes { id } } }',
      '{',
      '1',
      '{"a":1}',
      'query A { nodes {id} } query B { node(id:"x") {id} }',
    ])
      console.log(q, JSON.stringify(await api.ask(q)));
    console.log(
      await (await fetch(api.url + '/health/ready')).text(),
      await (await fetch(api.url + '/health/live')).text(),
      await (await fetch(api.url + '/')).text(),
    );
  });
});
