import { Field, Float, ID, Int } from '@nestjs/graphql';
import { DecimalField, Int64Field } from './exact-field.js';
import { DateTime, Decimal, Int64, Json } from './scalars.js';

/** What is said of a field beside its type. */
interface FieldOptions {
  /** What a value costs, where it is not 1. */
  readonly complexity?: number;
}

interface FieldDecorator {
  (description: string, options?: FieldOptions): PropertyDecorator;
  /** Of a field that can be null, or an argument that can be left out. */
  orNull(description: string, options?: FieldOptions): PropertyDecorator;
}

/** Declares fields of a type, as the schema has it: `@text('What it is for.') name: string`. */
export function fieldOf(type: () => unknown): FieldDecorator {
  const decorate =
    (nullable: boolean) =>
    (description: string, options: FieldOptions = {}): PropertyDecorator =>
      Field(type as never, { ...options, nullable, description });
  return Object.assign(decorate(false), { orNull: decorate(true) });
}

export const id = fieldOf(() => ID);
export const ids = fieldOf(() => [ID]);
export const text = fieldOf(() => String);
export const texts = fieldOf(() => [String]);
export const bool = fieldOf(() => Boolean);
export const int = fieldOf(() => Int);
export const float = fieldOf(() => Float);
export const int64 = fieldOf(() => Int64);
export const int64s = fieldOf(() => [Int64]);
export const decimal = fieldOf(() => Decimal);
export const dateTime = fieldOf(() => DateTime);
export const json = fieldOf(() => Json);

/** As `int64` and `decimal`, with the twins `<name>Float`: of what is answered, not of arguments. */
export const exactInt64 = twinOf(Int64Field);
export const exactDecimal = twinOf(DecimalField);

function twinOf(
  field: typeof Int64Field,
): Pick<FieldDecorator, 'orNull'> & ((description: string) => PropertyDecorator) {
  const decorate =
    (nullable: boolean) =>
    (description: string): PropertyDecorator =>
      field({ nullable, description });
  return Object.assign(decorate(false), { orNull: decorate(true) });
}
