import { Column, Entity, type ValueTransformer } from 'typeorm';

/** The type of a column's values in this program. */
export interface ColumnTypes {
  int2: number;
  int4: number;
  int8: bigint;
  float8: number;
  bool: boolean;
  text: string;
  /** Parsed. */
  json: unknown;
  jsonb: unknown;
  /** Exact decimal as text. */
  numeric: string;
  /** As text of Postgres: `{[1,4),[9,)}`. */
  int8multirange: string;
  /** Hex digits. */
  bytea: string;
  /** Unix microseconds. */
  timestamptz: bigint;
}
export type ColumnType = keyof ColumnTypes;

interface ColumnOptions {
  /** Part of the primary key, or, in a table without one, of the columns that identify a row: TypeORM requires a key. */
  readonly key?: true;
  /** An SQL expression, as the database writes it. */
  readonly default?: string;
  /** Numbered by the database. */
  readonly identity?: true;
}

/** A decorator for properties of type `T`, including null if the column is nullable; any other property is a compile error. */
type ColumnOf<T, Null extends boolean> = <
  Name extends string,
  Row extends Record<Name, Null extends true ? T | null : T>,
>(
  row: Row,
  name: Name & (Null extends true ? (null extends Row[Name] ? unknown : never) : unknown),
) => void;

interface ColumnDecorator<T> {
  (comment: string, options?: ColumnOptions): ColumnOf<T, false>;
  /** Declares a nullable column. */
  orNull(comment: string, options?: ColumnOptions): ColumnOf<T, true>;
}

/** Postgres uses it for `infinity`. */
const LARGEST_INT64 = 2n ** 63n - 1n;

/** Converts values for the driver, since the ORM knows neither microseconds nor hex. Values that are read are parsed already. */
const TRANSFORMERS: Partial<Record<ColumnType, ValueTransformer>> = {
  timestamptz: {
    // Not plain text: the ORM would make a Date of it, which has no microseconds.
    to: (us: bigint | null | undefined) =>
      typeof us === 'bigint' ? { toPostgres: () => formatMicros(us) } : us,
    from: (us: unknown) => us,
  },
  bytea: {
    to: (hex: string | null | undefined) => (typeof hex === 'string' ? Buffer.from(hex, 'hex') : hex),
    from: (hex: unknown) => hex,
  },
};

/** Formats Unix microseconds as a Postgres timestamp, for every year that Postgres knows. */
function formatMicros(us: bigint): string {
  if (us === LARGEST_INT64) return 'infinity';
  if (us === -LARGEST_INT64 - 1n) return '-infinity';
  const rest = ((us % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((us - rest) / 1_000n));
  const year = second.getUTCFullYear();
  const [number, era] = year > 0 ? [year, ''] : [1 - year, ' BC'];
  const withinYear = second.toISOString().slice(-20, -5);
  return `${String(number).padStart(4, '0')}${withinYear}.${String(rest).padStart(6, '0')}+00${era}`;
}

/**
 * Declares a table once: its columns, their types, comments and defaults. Indexes, checks, partitions and storage are in the
 * migrations only; a test compares the two.
 */
export function Table(name: string, comment: string): ClassDecorator {
  return Entity({ name, comment });
}

/** `nodeKey` is the column `node_key`. */
export function columnNameOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function decoratorOf<T>(type: ColumnType): ColumnDecorator<T> {
  const decorate =
    (nullable: boolean) =>
    (comment: string, options: ColumnOptions = {}) =>
    (row: object, property: string): void => {
      const transformer = TRANSFORMERS[type];
      const decorateProperty = Column({
        type,
        name: columnNameOf(property),
        comment,
        nullable,
        primary: options.key ?? false,
        ...(options.default !== undefined && { default: () => options.default ?? '' }),
        ...(options.identity && { generated: 'identity' as const, generatedIdentity: 'ALWAYS' as const }),
        ...(transformer && { transformer }),
      });
      decorateProperty(row, property);
    };
  return Object.assign(decorate(false), { orNull: decorate(true) });
}

export const int2 = decoratorOf<number>('int2');
export const int4 = decoratorOf<number>('int4');
export const int8 = decoratorOf<bigint>('int8');
export const float8 = decoratorOf<number>('float8');
export const bool = decoratorOf<boolean>('bool');
export const text = decoratorOf<string>('text');
/** Has the form of the property's type: nothing checks it when it is read. */
export const json = decoratorOf<unknown>('json');
export const jsonb = decoratorOf<unknown>('jsonb');
/** Exact decimal as text. */
export const numeric = decoratorOf<string>('numeric');
export const int8multirange = decoratorOf<string>('int8multirange');
/** Hex digits. */
export const bytea = decoratorOf<string>('bytea');
/** Unix microseconds. */
export const timestamptz = decoratorOf<bigint>('timestamptz');
