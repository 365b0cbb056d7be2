import { Field, Float } from '@nestjs/graphql';
import type { Decimal as ExactDecimal } from '../../domain/cost/decimal.js';
import { Decimal, Int64 } from './scalars.js';

interface ExactOptions {
  readonly nullable?: boolean;
  readonly description: string;
  /** The new name of a field that is deprecated. */
  readonly replacedBy?: string;
}

/** An `Int64` field and its twin `<name>Float`, for tools that plot only numbers. */
export function Int64Field(options: ExactOptions): PropertyDecorator {
  return exactField(Int64, options);
}

/** A `Decimal` field and its twin `<name>Float`, for tools that plot only numbers. */
export function DecimalField(options: ExactOptions): PropertyDecorator {
  return exactField(Decimal, options);
}

/** The twin is a getter of the class, so resolvers must return instances of the class. */
function exactField(
  type: typeof Int64 | typeof Decimal,
  { replacedBy, ...options }: ExactOptions,
): PropertyDecorator {
  return (prototype, name) => {
    const exact = String(name);
    const twin = `${exact}Float`;
    Object.defineProperty(prototype, twin, {
      get(
        this: Readonly<Record<string, bigint | number | string | ExactDecimal | null | undefined>>,
      ): number | null {
        const value = this[exact];
        return value === null || value === undefined ? null : Number(value.toString());
      },
    });
    Field(() => type, { ...options, ...deprecation(replacedBy) })(prototype, name);
    Field(() => Float, {
      nullable: options.nullable ?? false,
      description: `\`${exact}\` as a double, which may be rounded.`,
      ...deprecation(replacedBy && `${replacedBy}Float`),
    })(prototype, twin);
  };
}

function deprecation(replacedBy: string | undefined): { readonly deprecationReason?: string } {
  if (replacedBy === undefined) return {};
  return { deprecationReason: `Use \`${replacedBy}\`. The next version removes this name.` };
}
