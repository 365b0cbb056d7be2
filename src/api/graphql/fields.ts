import { Args, Field, Float, ID, Int } from '@nestjs/graphql';
import { DateTime, Decimal, Int64, Json } from './scalars.js';

interface FieldOptions {
  /** The cost of a value; 1 when left out. */
  readonly complexity?: number;
  /** For an input; without it a value that is left out is undefined. */
  readonly defaultValue?: unknown;
  /** The new name of a field that is deprecated. */
  readonly replacedBy?: string;
}

type Decorate = (description: string, options?: FieldOptions) => PropertyDecorator;
type DecorateOf = (type: () => unknown, ...given: Parameters<Decorate>) => PropertyDecorator;

interface FieldDecorator extends Decorate {
  /** For a nullable field, or an optional argument. */
  readonly orNull: Decorate;
}

/** Declares a field of any type: `@field(() => Node, 'What it is.') node: Node`. */
export const field = Object.assign(declareField(false), { orNull: declareField(true) });

function declareField(nullable: boolean): DecorateOf {
  return (type, description, { replacedBy, ...options } = {}) => {
    const given = { ...options, description, ...deprecation(replacedBy) };
    return Field(type as never, nullable ? { ...given, nullable } : given);
  };
}

/**
 * Makes decorators for fields of a type: `@text('What it is for.') name: string`.
 * @param complexity the cost of a value, where the options name none
 */
export function fieldOf(type: () => unknown, complexity = 1): FieldDecorator {
  const of =
    (decorate: DecorateOf): Decorate =>
    (description, options) =>
      decorate(type, description, { complexity, ...options });
  return Object.assign(of(field), { orNull: of(field.orNull) });
}

/** Declares a single argument that may be left out. */
export function argOrNull(
  name: string,
  type: () => unknown,
  description: string,
  defaultValue?: unknown,
): ParameterDecorator {
  return Args(name, { type: type as never, nullable: true, description, defaultValue });
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
export const exactInt64 = exact(int64);
export const exactDecimal = exact(decimal);

/** The cost of a text of one or two lines. */
export const SENTENCE = 15;
export const sentence = fieldOf(() => String, SENTENCE);

/**
 * Adds the twin `<name>Float`, for tools that plot only numbers. It is a getter of the class, so resolvers must return instances
 * of the class.
 */
function exact(exactField: FieldDecorator): FieldDecorator {
  const decorate =
    (own: Decorate, twin: Decorate): Decorate =>
    (description, options = {}) =>
    (prototype, name) => {
      const exactName = String(name);
      const twinName = `${exactName}Float`;
      Object.defineProperty(prototype, twinName, {
        get(this: Readonly<Record<string, { toString(): string } | null | undefined>>): number | null {
          const value = this[exactName];
          return value === null || value === undefined ? null : Number(value.toString());
        },
      });
      const { replacedBy } = options;
      own(description, options)(prototype, name);
      twin(`\`${exactName}\` as a double, which may be rounded.`, {
        ...(replacedBy !== undefined && { replacedBy: `${replacedBy}Float` }),
      })(prototype, twinName);
    };
  return Object.assign(decorate(exactField, float), { orNull: decorate(exactField.orNull, float.orNull) });
}

function deprecation(replacedBy: string | undefined): { readonly deprecationReason?: string } {
  if (replacedBy === undefined) return {};
  return { deprecationReason: `Use \`${replacedBy}\`. The next version removes this name.` };
}
