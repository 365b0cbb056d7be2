import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  parse,
  validate,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { COST_LIMIT, EXPENSIVE_FROM, requireAffordable } from '../../src/api/graphql/query-cost.js';
import { ManualClock } from '../support/manual-clock.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const NOW = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;

const ago = (hours: number): string => new Date(NOW - hours * HOUR_MS).toISOString();

interface NamedType {
  readonly name: string | null;
  readonly ofType: NamedType | null;
}
interface Field {
  readonly name: string;
  readonly type: NamedType;
}

describe('the cost of a query', () => {
  const api = useApi({ clock: new ManualClock(NOW) });

  /** The cost, without asking. */
  const costOf = (query: string): number => {
    const { schema } = api.app.get(GraphQLSchemaHost, { strict: false });
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const now = BigInt(NOW) * 1_000_000n;
    return requireAffordable({ schema, document, variables: {}, operationName: undefined, now });
  };

  /** All fields of a type, including the fields of its objects. */
  const everythingOf = async (type: string, without: readonly string[] = []): Promise<string> => {
    const shape = 'name ofType { name ofType { name ofType { name } } }';
    const { __type: found } = await api.read<{ __type: { fields: Field[] | null } }>(
      `{ __type(name: "${type}") { fields { name type { ${shape} } } } }`,
    );
    const texts = (found.fields ?? []).map(async (field) => {
      if (without.includes(field.name)) return '';
      const inner = await everythingOf(nameOf(field.type), without);
      return inner === '' ? field.name : `${field.name} { ${inner} }`;
    });
    return (await Promise.all(texts)).join(' ');
  };
  const nameOf = ({ name, ofType }: NamedType): string => name ?? (ofType === null ? '' : nameOf(ofType));

  it('is that of a schema with a double next to every exact number, in lists too', () => {
    const { schema } = api.app.get(GraphQLSchemaHost, { strict: false });
    const exact = (type: GraphQLOutputType): boolean => /^(Int64|Decimal)$/.test(getNamedType(type).name);
    const answered = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && !type.name.startsWith('__'),
    );
    const numbers = (answered as GraphQLObjectType[]).flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) =>
        exact(field.type) ? [{ name: `${type.name}.${field.name}`, field, fields: type.getFields() }] : [],
      ),
    );
    expect(numbers.length).toBeGreaterThan(100);
    const twins = numbers.map(({ name, field, fields }) => [
      name,
      String(fields[`${field.name}Float`]?.type),
    ]);
    expect(twins).toEqual(
      numbers.map(({ name, field }) => [name, String(field.type).replace(/Int64|Decimal/, 'Float')]),
    );
  });

  it('allows for whole reports of days together, without times', async () => {
    const statistics = await everythingOf('StatisticsRow');
    const costs = await everythingOf('CostRow');
    const days = 'bucket: DAY, groupBy: [CHAIN]';
    expect(costOf(`{ statistics(${days}) { ${statistics} } costReport(${days}) { ${costs} } }`)).toBeLessThan(
      COST_LIMIT,
    );
  });

  it('is refused with a hint that makes a history cheaper', async () => {
    const everything = await everythingOf('HealthInterval');
    const histories = Array.from(
      { length: 12 },
      (_, n) => `h${n}: healthHistory(node: "a") { ${everything} }`,
    );
    expect(() => costOf(`{ ${histories.join(' ')} }`)).toThrow(
      'Most of it is `healthHistory`: give `from`, or request a shorter time.',
    );
  });

  it('is refused with a hint that makes a report cheaper', async () => {
    const everything = await everythingOf('CostRow');
    const report = (range: string): string =>
      `{ costReport(bucket: HOUR, knownAt: "2026-11-21T00:00:00Z" ${range}) { ${everything} } }`;
    expect(() => costOf(report(''))).toThrow(
      /Most of it is `costReport`: give both `from` and `to` \(without both, three years count\), request a shorter time, a longer `bucket`/,
    );
    expect(() => costOf(report(`, from: "${ago(9_900)}", to: "${ago(0)}"`))).toThrow(
      /Most of it is `costReport`: request a shorter time/,
    );
    expect(costOf(report(`, from: "${ago(740)}", to: "${ago(0)}"`))).toBeLessThan(1_100_000);
    expect(() =>
      costOf(
        `{ ${[1, 2, 3, 4, 5, 6].map((n) => `a${n}: submissions(first: 1000) { nodes { raw message } edges { node { raw message } } }`).join(' ')} }`,
      ),
    ).toThrow('Request fewer rows or fewer fields at once.');
  });

  const hours = `bucket: HOUR, from: "${ago(9_990)}", to: "${ago(0)}"`;

  it.each([
    // A report: 30,000, and 80 for each row in addition to its values.
    [
      'statistics(bucket: DAY, from: "2026-11-01T00:00:00Z", to: "2026-11-11T00:00:00Z") { time }',
      45_000 + 12 * 81,
    ],
    ['statistics(bucket: DAY, from: "2026-11-20T00:00:00Z") { time attempts }', 45_000 + 4 * 82],
    ['statistics(bucket: YEAR) { time }', 45_000 + 5 * 81],
    ['statistics(bucket: HOUR) { time }', 45_000 + 10_000 * 81],
    [`statistics(${hours}) { time }`, 45_000 + 9_992 * 81],
    [`statistics(${hours}, groupBy: [STATUS]) { time }`, 45_000 + 10_000 * 81],
    [
      'statistics(bucket: YEAR, groupBy: [KIND, STATUS], filter: {kinds: [DATA], statuses: [SUCCESS, ERROR]}) { time }',
      45_000 + 10 * 81,
    ],
    [
      'statistics(bucket: YEAR, groupBy: [NODE, CHAIN], filter: {nodes: ["a", "b"]}) { time }',
      45_000 + 10 * 81,
    ],
    ['statistics(bucket: YEAR, to: "2026-01-01T00:00:00Z") { blobBytes { p50 p90 } }', 45_000 + 5 * 87],
    ['costReport(bucket: MONTH, from: "2026-10-25T00:00:00Z") { feeMin feeMax }', 45_000 + 3 * 82],
    ['costReport(bucket: YEAR, knownAt: "2026-11-01T00:00:00Z") { feeMin }', 900_000 + 5 * 81],
    ['costReport(bucket: YEAR, pricesAsOf: "2026-11-01T00:00:00Z") { feeMin }', 900_000 + 5 * 81],
    // A history: 10 for each row, as if the state changed each minute.
    ['healthHistory(node: "a") { from }', 5_000 + 10_000 * 11],
    [`healthHistory(node: "a", from: "${ago(24)}") { from reason }`, 5_000 + 1_442 * 26],
    [`availability(node: "a", from: "${ago(2)}", to: "${ago(1)}") { state detail }`, 5_000 + 62 * 26],
    ['nodes { id url }', 5_000 + 200 * 12],
    ['priceBook(chain: "a") { subject }', 5_000 + 1_000 * 11],
    ['jobs(first: 7) { id }', 5_000 + 7 * 11],
    // Pages, by their arguments; long texts by their bytes.
    ['submissions { nodes { id } }', 5_000 + 50 * 12],
    ['submissions(last: 20) { edges { cursor node { id } } }', 5_000 + 20 * 14],
    ['submissions(first: 10) { nodes { message raw blobIds } }', 5_000 + 10 * 461],
    ['submissions(first: 1, filter: {message: "x"}) { nodes { id } }', 5_000 + 15_000 + 12],
    ['blocks(first: 5000) { nodes { height } }', 5_000 + 1_000 * 12],
    ['losses(first: 0) { nodes { id } }', 5_000 + 12],
    ['node(id: "a") { id da { state } }', 5_000 + 1 + 6],
  ])('of { %s } is %p', (field, cost) => {
    expect(costOf(`{ ${field} }`)).toBe(cost);
  });

  it('is declared next to every list', () => {
    const { schema } = api.app.get(GraphQLSchemaHost, { strict: false });
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.values(type?.getFields() ?? {}),
    );
    const lists = fields.filter(
      ({ type, args }) => isListType(getNullableType(type)) || args.some(({ name }) => name === 'first'),
    );
    expect(lists.length).toBeGreaterThanOrEqual(9);
    expect(lists.filter(({ extensions }) => !('cost' in extensions)).map(({ name }) => name)).toEqual([]);
  });

  it('has room for one of the largest reports with all its fields, and not for two', async () => {
    for (const [name, type] of [
      ['statistics', 'StatisticsRow'],
      ['costReport', 'CostRow'],
    ] as const) {
      const report = `${name}(bucket: HOUR, from: "${ago(9_990)}", to: "${ago(0)}") { ${await everythingOf(type)} }`;
      const answer = await api.ask<Record<string, unknown[]>>(`{ ${report} }`);
      expect(answer.errors).toBeUndefined();
      expect(answer.data?.[name]).toHaveLength(9_990);
      expect(await api.codesOf(`{ a: ${report} b: ${report} }`)).toEqual(['TOO_EXPENSIVE']);
    }
  });

  it('has room for one page of submissions with everything about them, and not for two', async () => {
    // Neighbouring rows are rows of their own, and `rawText` repeats `raw`.
    const others = ['attemptsBefore', 'attemptsAfter', 'previous', 'next', 'rawText'];
    const fields = await everythingOf('Submission', others);
    const page = `submissions(first: 1000) { nodes { ${fields} } edges { cursor node { ${fields} } } }`;
    expect(await api.codesOf(`{ ${page} }`)).toEqual([]);
    expect(await api.codesOf(`{ a: ${page} b: ${page} }`)).toEqual(['TOO_EXPENSIVE']);
  });

  it('adds up over the whole request', () => {
    const aliases = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: statistics(${hours}) { time }`).join(' ')} }`;
    expect(costOf(aliases(2))).toBe(2 * (45_000 + 9_992 * 81));
    expect(() => costOf(aliases(3))).toThrow(
      `This query costs ${3 * (45_000 + 9_992 * 81)}; the limit is 2000000.`,
    );
  });

  it('is not the only limit on the rows of a request: the actual rows are counted too', async () => {
    // A node whose list changed its state a hundred times a second, which no estimate expects.
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
    await api.dataSource.query(
      `INSERT INTO availability_interval (node, from_at, to_at, state, detail, from_position)
       SELECT 'alpha', at, at + interval '10 ms', 'AVAILABLE', '', 1
         FROM generate_series($1::timestamptz, $1::timestamptz + interval '90 s', interval '10 ms') AS at`,
      [ago(2)],
    );
    const aliases = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: availability(node: "alpha", from: "${ago(2)}", to: "${ago(1)}") { state }`).join(' ')} }`;
    expect(await api.codesOf(aliases(2))).toEqual([]);
    const { data, errors } = await api.ask(aliases(3));
    expect([data, errors?.[0]?.extensions.code]).toEqual([null, 'TOO_EXPENSIVE']);
    expect(errors?.[0]?.message).toContain('more than 25000 rows');
  });

  it('delays no everyday query', () => {
    for (const field of [
      'nodes { id url chain head da { state reason } node { state } }',
      'submissions(first: 1000) { nodes { id status daHeight occurredAt sizeBytes node { id } } }',
      `statistics(bucket: HOUR, from: "${ago(24 * 30)}", to: "${ago(0)}") { time attempts successes failures coverage }`,
      'costReport(bucket: MONTH, groupBy: [CHAIN], timeZone: "UTC") { time chain submissions feeMin feeMax coverage }',
    ])
      expect(costOf(`{ ${field} }`)).toBeLessThan(EXPENSIVE_FROM);
  });
});
