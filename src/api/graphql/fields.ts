import { Field, Float, ID, Int } from '@nestjs/graphql';
import { DecimalField, Int64Field } from './exact-field.js';
import { DateTime, Decimal, Int64, Json } from './scalars.js';

interface FieldOptions {
  /** The cost of a value; 1 when left out. */
  readonly complexity?: number;
}

interface FieldDecorator {
  (description: string, options?: FieldOptions): PropertyDecorator;
  /** For a nullable field, or an optional argument. */
  orNull(description: string, options?: FieldOptions): PropertyDecorator;
}

/** Makes decorators for fields of a type: `@text('What it is for.') name: string`. */
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

/** Like `int64` and `decimal`, with the twins `<name>Float`. For output, not for arguments. */
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
