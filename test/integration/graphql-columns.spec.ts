import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getNamedType, isLeafType, isObjectType, type GraphQLObjectType } from 'graphql';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { appendLog } from '../support/append-log.js';
import { randomLog } from '../support/random-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

type Row = Readonly<Record<string, unknown>>;
interface Page {
  readonly list: {
    readonly nodes: readonly Row[];
    readonly edges: readonly { readonly node: Row; readonly cursor: string }[];
    readonly pageInfo: object;
  };
}

/** Fields that a log of submissions and blocks alone does not fill. */
const NOT_IN_THE_LOG = ['healthThen', 'claimThen'];

describe('lists of a synthetic log', () => {
  const api = useApi();

  beforeAll(async () => {
    await appendLog(api.dataSource, randomLog(seededRandom(2), 130));
    await new RollUp(api.dataSource).run();
    // Columns that this log leaves empty.
    await api.dataSource.query(`UPDATE submission SET gas_price = 0.02, message = 'said'`);
    await api.dataSource.query('UPDATE submission SET evidence = 5, possible = 2 WHERE node_key IS NULL');
    await api.dataSource.query(`UPDATE block SET hash = '\\x0a', app_hash = '\\x0b'`);
  });

  const typeOf = (name: string): GraphQLObjectType =>
    api.app.get(GraphQLSchemaHost).schema.getType(name) as GraphQLObjectType;

  describe.each([
    ['submissions', 'Submission', 'OCCURRED_ASC', 20],
    ['blocks', 'Block', 'HEIGHT_ASC', 154],
  ])('%s', (list, typeName, ascending, count) => {
    it.each(['', ', knownAt: "2100-01-01T00:00:00Z"', ', order: ASCENDING'])(
      'return for each field alone the same as for all fields together (first: 200%s)',
      async (args) => {
        const fields = selections(typeOf(typeName));
        const all = await ask(args, `nodes { ${[...fields.values()].join(' ')} } edges { cursor }`);
        expect(all.nodes).toHaveLength(count);
        for (const [name, selection] of fields) {
          const wanted = all.nodes.map((row) => ({ [name]: row[name] }));
          if (args === '' && !NOT_IN_THE_LOG.includes(name)) {
            expect([name, wanted.some((row) => row[name] !== null)]).toEqual([name, true]);
          }
          expect((await ask(args, `nodes { ${selection} }`)).nodes).toEqual(wanted);
          const { edges } = await ask(
            args,
            `... on ${typeName}Connection { edges { ...Edge } }`,
            `fragment Edge on ${typeName}Edge { node { ... on ${typeName} { ${selection} } } }`,
          );
          expect(edges.map(({ node }) => node)).toEqual(wanted);
        }
        expect((await ask(args, 'edges { cursor }')).edges).toEqual(all.edges);
        const { pageInfo } = await ask(args, 'pageInfo { startCursor endCursor }');
        expect(pageInfo).toEqual({
          startCursor: all.edges[0]?.cursor,
          endCursor: all.edges.at(-1)?.cursor,
        });
      },
    );

    async function ask(args: string, selected: string, fragments = ''): Promise<Page['list']> {
      const given = args.replace('ASCENDING', ascending);
      return (await api.read<Page>(`{ list: ${list}(first: 200${given}) { ${selected} } } ${fragments}`))
        .list;
    }
  });

  describe.each([
    ['statistics', 'StatisticsRow', '', 1],
    ['statistics', 'StatisticsRow', ', from: "2026-11-21T00:00:00Z", to: "2026-11-22T00:00:00Z"', 24],
    ['costReport', 'CostRow', '', 1],
  ])('%s', (report, typeName, range, count) => {
    it(`return for each figure alone the same as for all figures together (${range})`, async () => {
      const ask = async (selected: string): Promise<readonly Row[]> =>
        (
          await api.read<{ rows: Row[] }>(
            `{ rows: ${report}(bucket: HOUR, groupBy: [CHAIN]${range}) { ${selected} } }`,
          )
        ).rows;
      const fields = selections(typeOf(typeName));
      const all = await ask([...fields.values()].join(' '));
      expect(all).toHaveLength(count);
      expect(all.some((row) => row['attempts'] !== '0')).toBe(true);
      for (const [name, selection] of fields) {
        expect(await ask(selection)).toEqual(all.map((row) => ({ [name]: row[name] })));
      }
    });
  });
});

describe('reports on a node that was of another chain, and one whose blocks name no chain', () => {
  const api = useApi();
  const HOUR = 3_600_000;
  const TIME = 'bucket: HOUR, from: "2026-11-21T00:00:00Z", to: "2026-11-21T04:00:00Z"';

  beforeAll(async () => {
    const log = new SmallLog().register('alpha', 'lab-1').describe('alpha', 'lab-1').register('beta');
    log.blocks('alpha', 'lab-1', [{ height: 1 }]).rows('alpha', [{ da: 5 }]);
    log.now = HOUR;
    log.blocks('alpha', 'lab-1', [{ height: 2 }]);
    log.now = 2 * HOUR;
    log.describe('alpha', 'lab-2').blocks('alpha', 'lab-2', [{ height: 1 }, { height: 2 }]);
    log.now = 3 * HOUR;
    log.blocks('beta', '', [{ height: 1 }]);
    await appendLog(api.dataSource, log.events);
    await new RollUp(api.dataSource).run();
  });

  const KNOWN = ', knownAt: "2100-01-01T00:00:00Z"';
  const CUT = ', asOf: "2026-11-21T02:03:21.5Z"';
  it.each(
    ['', KNOWN, CUT].flatMap((travel) =>
      ['[]', '[NODE]', '[CHAIN]', '[NODE, CHAIN]'].flatMap((groupBy) =>
        ['{}', '{chains: ["lab-1"]}', '{nodes: ["alpha"]}', '{nodes: ["alpha"], chains: ["lab-1"]}'].map(
          (filter) => ({ travel, groupBy, filter }),
        ),
      ),
    ),
  )(
    'have the same rows whatever is selected: by $groupBy of $filter$travel',
    async ({ travel, groupBy, filter }) => {
      const ask = async (report: string, field: string): Promise<readonly Row[]> =>
        (
          await api.read<{ rows: Row[] }>(
            `{ rows: ${report}(${TIME}, groupBy: ${groupBy}, filter: ${filter}${travel}) { time node chain ${field} } }`,
          )
        ).rows;
      for (const [report, one, more] of [
        ['statistics', 'coverage', 'blocksProduced'],
        ['costReport', 'coverage', 'feePerBlockMax'],
      ] as const) {
        const named = (row: Row): unknown[] => [row['time'], row['node'], row['chain']];
        expect((await ask(report, one)).map(named)).toEqual((await ask(report, more)).map(named));
      }
    },
  );

  it.each(['', KNOWN, CUT])('count no blocks of other chains than the filter%s', async (travel) => {
    const { rows } = await api.read<{ rows: Row[] }>(
      `{ rows: statistics(${TIME}, groupBy: [NODE], filter: {chains: ["lab-1"]}${travel}) { node blocksProduced } }`,
    );
    const told = rows.filter(({ node }) => node === 'alpha').map((row) => row['blocksProduced']);
    expect(told.slice(0, 2)).toEqual(['1', '1']);
    expect(told.slice(2).filter((count) => count !== null && count !== '0')).toEqual([]);
  });
});

/** Each field with its selection. */
function selections(type: GraphQLObjectType): ReadonlyMap<string, string> {
  return new Map(
    Object.values(type.getFields()).map(({ name, type: fieldType }) => {
      const of = getNamedType(fieldType);
      return [name, isObjectType(of) ? `${name} { ${firstLeaf(of)} }` : name];
    }),
  );
}

function firstLeaf(type: GraphQLObjectType): string {
  const leaf = Object.values(type.getFields()).find((field) => isLeafType(getNamedType(field.type)));
  if (!leaf) throw new Error(`${type.name} has no fields of its own`);
  return leaf.name;
}
