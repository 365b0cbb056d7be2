import { Kind, parse } from 'graphql';

/**
 * The name of the operation to run: the one at the cursor, else the first. Undefined if there is only one, or the text cannot be
 * parsed; the server then says why.
 */
export function nameAt(query: string, cursor: number): string | undefined {
  try {
    const operations = parse(query).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    const found =
      operations.find(({ loc }) => loc && loc.start <= cursor && cursor <= loc.end) ?? operations[0];
    return operations.length > 1 && found?.kind === Kind.OPERATION_DEFINITION ? found.name?.value : undefined;
  } catch {
    return undefined;
  }
}
