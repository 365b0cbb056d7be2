import { registerEnumType } from '@nestjs/graphql';

/**
 * Declares an enum of the schema.
 * @param words what each of them means
 * @returns the enum object, by which fields name their type
 */
export function enumOf<Word extends string>(
  name: string,
  description: string,
  words: { readonly [W in Word]: string },
): { readonly [W in Word]: W } {
  const entries = Object.entries<string>(words);
  const values = Object.fromEntries(entries.map(([word]) => [word, word]));
  const valuesMap = Object.fromEntries(entries.map(([word, about]) => [word, { description: about }]));
  registerEnumType(values, { name, description, valuesMap });
  return values as { readonly [W in Word]: W };
}
