import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import {
  ALIASES,
  CURSORS,
  DECIMALS,
  FEE_FILES,
  HASHES,
  IDS,
  INT64S,
  INTS,
  MISFITS,
  TEXTS,
  TIME_ZONES,
  timesAround,
} from './edge-values.js';

/** A request's body. */
export interface Question {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Inputs for random queries. */
export interface QuestionSource {
  readonly schema: GraphQLSchema;
  /** Uniform numbers in [0, 1). */
  readonly random: () => number;
  /** Unix milliseconds. */
  readonly now: number;
  /** Existing cursors, node ids and chains. */
  readonly known: { readonly cursors: readonly string[]; readonly ids: readonly string[] };
}

type Fields = GraphQLField<unknown, unknown>[];

/** Generates random queries that match the schema, or nearly do, with values at the edges of every argument. */
export class QuestionMaker {
  private fragments: string[] = [];
  private declarations: string[] = [];
  private variables: Record<string, unknown> = {};

  constructor(private readonly source: QuestionSource) {}

  /**
   * Generates a query; about one in eight changes something.
   *
   * @param wanted fields of Query to use exclusively; any field of the schema when left out or empty
   */
  make(wanted: readonly string[] = []): Question {
    this.fragments = [];
    this.declarations = [];
    this.variables = {};
    const { schema } = this.source;
    const mutates = this.chance(0.12) && wanted.length === 0;
    const type = (mutates ? schema.getMutationType() : undefined) ?? schema.getQueryType();
    const all = Object.values(type?.getFields() ?? {});
    const fields = wanted.length > 0 ? all.filter(({ name }) => wanted.includes(name)) : all;
    const count = this.chance(0.1) ? 3 : 1;
    const roots = Array.from({ length: count }, (_, index) => this.root(this.pick(fields), index, count > 1));
    const declared = this.declarations.length > 0 ? `(${this.declarations.join(', ')})` : '';
    const kind = type === schema.getMutationType() ? 'mutation' : 'query';
    return {
      query: `${kind} Q${declared} { ${roots.join(' ')} } ${this.fragments.join(' ')}`,
      variables: this.variables,
    };
  }

  /**
   * A value for an argument or input field of that name, as the schema accepts it somewhere. Any text if the schema lacks the
   * name.
   */
  valueFor(name: string): unknown {
    const types = this.source.schema.getTypeMap();
    const places = Object.values(types).flatMap((type) => {
      if (isInputObjectType(type)) return Object.values(type.getFields());
      return isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => args) : [];
    });
    const named = places.filter((place) => place.name === name);
    return named.length > 0 ? this.value(this.pick(named).type, name) : this.pick(TEXTS);
  }

  private root(field: Fields[number], index: number, isOneOfMany: boolean): string {
    const given = field.args.flatMap((argument) => this.argument(argument));
    const alias = isOneOfMany || this.chance(0.05) ? `r${index}: ` : '';
    const list = given.length > 0 ? `(${given.join(', ')})` : '';
    return `${alias}${field.name}${list}${this.selection(field.type, this.pick([1, 2, 3]))}`;
  }

  private argument(argument: GraphQLArgument): string[] {
    if (this.chance(isNonNullType(argument.type) ? 0.01 : 0.5)) return [];
    const value = this.value(argument.type, argument.name);
    if (this.chance(0.5)) return [`${argument.name}: ${this.literal(value, argument.type)}`];
    const name = `v${this.declarations.length}`;
    this.declarations.push(`$${name}: ${argument.type.toString()}`);
    if (!this.chance(0.01)) this.variables[name] = value;
    return [`${argument.name}: $${name}`];
  }

  private value(type: GraphQLInputType, name: string): unknown {
    if (isNonNullType(type)) return this.value(type.ofType, name);
    if (this.chance(0.06)) return null;
    if (this.chance(0.02)) return this.pick(MISFITS);
    if (isListType(type)) {
      const length = this.chance(0.04) ? 150 : this.pick([0, 1, 1, 1, 2, 3]);
      return Array.from({ length }, () => this.value(type.ofType, name));
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const given = fields.filter((field) => isNonNullType(field.type) || this.chance(0.35));
      return Object.fromEntries(given.map((field) => [field.name, this.value(field.type, field.name)]));
    }
    if (isEnumType(type)) return this.chance(0.02) ? 'NOPE' : this.pick(type.getValues()).name;
    return this.scalar(type.name, name);
  }

  private scalar(type: string, name: string): unknown {
    switch (type) {
      case 'Int':
        return this.pick(INTS);
      case 'Float':
        return this.pick([0, -0, 1.5, 1e308, -1e308, 5e-324]);
      case 'Boolean':
        return this.chance(0.5);
      case 'Int64':
        return this.pick(INT64S);
      case 'DateTime':
        return this.pick(timesAround(this.source.now));
      case 'Decimal':
        return this.pick(DECIMALS);
      case 'ID':
        // Without existing ids, no query would get beyond the node.
        return this.pick(this.chance(0.5) ? this.source.known.ids : IDS);
      default:
        return this.text(name);
    }
  }

  private text(name: string): string {
    if (/after|before/.test(name)) return this.pick([...this.source.known.cursors, ...CURSORS]);
    if (/timeZone/i.test(name)) return this.pick(TIME_ZONES);
    if (name === 'csv') return this.pick(FEE_FILES);
    if (name === 'hash') return this.pick(HASHES);
    return this.chance(0.3) ? this.pick(this.source.known.ids) : this.pick(TEXTS);
  }

  private literal(value: unknown, type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.literal(value, type.ofType);
    if (value === null || value === undefined) return 'null';
    if (isListType(type) && Array.isArray(value)) {
      return `[${value.map((one) => this.literal(one, type.ofType)).join(', ')}]`;
    }
    if (isInputObjectType(type) && typeof value === 'object' && !Array.isArray(value)) {
      const fields = type.getFields();
      const members = Object.entries(value).map(([name, member]) => {
        const field = fields[name];
        return `${name}: ${field ? this.literal(member, field.type) : JSON.stringify(member)}`;
      });
      return `{${members.join(', ')}}`;
    }
    if (isEnumType(type) && typeof value === 'string' && /^[_A-Za-z]\w*$/.test(value)) return value;
    return typeof value === 'object' ? '{}' : JSON.stringify(value);
  }

  private selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type);
    if (!isCompositeType(named) || !('getFields' in named)) return '';
    const parts = this.chooseFields(named, depth).map((field) => {
      const alias = this.chance(0.05) ? `${this.pick(ALIASES)}: ` : '';
      const directive = this.chance(0.03)
        ? this.pick([' @include(if: true)', ' @skip(if: true)', ' @include(if: false)'])
        : '';
      return `${alias}${field.name}${directive}${this.selection(field.type, depth - 1)}`;
    });
    if (parts.length === 0 || this.chance(0.08)) parts.push('__typename');
    const body = `{ ${parts.join(' ')} }`;
    if (!this.chance(0.06)) return ` ${body}`;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${named.name} ${body}`);
    return ` { ...${name} }`;
  }

  private chooseFields(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): Fields {
    const all: Fields = Object.values(type.getFields());
    const isLeaf = (field: Fields[number]): boolean => !isCompositeType(getNamedType(field.type));
    const share = this.chance(0.08) ? 1 : Math.min(0.5, 6 / all.length);
    const chosen = all.filter((field) => this.chance(share) && (depth > 0 || isLeaf(field)));
    return chosen.length > 0 ? chosen : all.filter(isLeaf).slice(0, 1);
  }

  private chance(probability: number): boolean {
    return this.source.random() < probability;
  }

  private pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.source.random() * values.length)] as T;
  }
}
