/** A report cannot be read as requested. The message is for people, and says what to request instead. */
export class ReadFault extends Error {
  override readonly name = 'ReadFault';

  /** @param kind BAD_INPUT: the request is wrong or too large; TOO_EXPENSIVE: the answer would take too long */
  constructor(
    readonly kind: 'BAD_INPUT' | 'TOO_EXPENSIVE',
    message: string,
  ) {
    super(message);
  }
}
