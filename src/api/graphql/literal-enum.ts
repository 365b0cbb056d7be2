/** Makes the enum object that GraphQL needs from the words of a union type. */
export function enumOf<Word extends string>(words: readonly Word[]): { readonly [W in Word]: W } {
  return Object.fromEntries(words.map((word) => [word, word])) as { readonly [W in Word]: W };
}
