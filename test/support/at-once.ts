/** What an outcome is told of: a case that ended well, or the reason why it did not. */
type Outcome = { readonly failure?: unknown };

/**
 * Tests that wait for seconds and compute little. They begin together, after all `beforeAll` of where this is called, so that
 * they wait at the same time; each is told by itself. What a case needs beside them it makes and ends itself.
 *
 * @param cases what each does, by the name of the test
 * @param patienceMs how long the first of them may take, all of them beside it; as for any test where left out
 */
export function itAtOnce(cases: Readonly<Record<string, () => Promise<void>>>, patienceMs?: number): void {
  const begun = new Map<string, Promise<Outcome>>();
  for (const name of Object.keys(cases)) {
    const waitForIt = async (): Promise<void> => {
      for (const [other, run] of begun.size === 0 ? Object.entries(cases) : []) {
        begun.set(
          other,
          run().then(
            () => ({}),
            (failure: unknown) => ({ failure }),
          ),
        );
      }
      const outcome = await begun.get(name);
      if (outcome && 'failure' in outcome) throw outcome.failure;
    };
    it(name, waitForIt, patienceMs);
  }
  // Where a test is chosen by its name, the others have begun as well.
  afterAll(() => Promise.all(begun.values()), patienceMs);
}
