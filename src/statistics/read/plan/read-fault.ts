/** Why a report cannot be read as it was asked for. The message is for the reader, and says what to ask instead. */
export class ReadFault extends Error {
  override readonly name = 'ReadFault';

  /** @param kind BAD_INPUT: the question is wrong or too large; TOO_EXPENSIVE: it would take too long to answer */
  constructor(
    readonly kind: 'BAD_INPUT' | 'TOO_EXPENSIVE',
    message: string,
  ) {
    super(message);
  }
}
