/**
 * Runs the same statements as a service, by fastify and pg, with nothing around them. It is a process of the benches that query a
 * service. Each message of the bench is a query, served under its name with the rows of its statements.
 */
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { readOptions, serveParent } from './support/child.js';
import type { BareQuestion } from './support/contest.js';

/** The number of connections that a service has for its readers. */
const CONNECTIONS = 6;

const { databaseUrl } = readOptions() as { databaseUrl: string };
const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
const questions = new Map<string, BareQuestion>();

async function ask({ statements }: BareQuestion): Promise<Record<string, unknown>[]> {
  const client = await pool.connect();
  try {
    let answer: Record<string, unknown>[] = [];
    for (const { sql, parameters } of statements) {
      const result = await client.query<Record<string, unknown>>(sql, [...parameters]);
      // A text with several statements, such as the start of a transaction, returns no rows.
      if (!Array.isArray(result) && result.rows.length > 0) answer = result.rows;
    }
    return answer;
  } finally {
    client.release();
  }
}

const app = fastify();
app.get<{ Params: { name: string } }>('/:name', async ({ params }, reply) => {
  const question = questions.get(params.name);
  if (!question) return reply.callNotFound();
  const rows = await ask(question);
  if (question.form === 'rows') return rows;
  const texts = rows.map(({ text }) => text);
  return reply
    .type('application/json')
    .send(`{"submissions":[${texts.join(',')}],"total":${texts.length}}\n`);
});
serveParent(await app.listen({ port: 0, host: '127.0.0.1' }), (message) => {
  const question = message as BareQuestion;
  questions.set(question.name, question);
  return null;
});
