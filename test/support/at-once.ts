/** The result of a case: success, or the reason for its failure. */
type Outcome = { readonly failure?: unknown };

/**
 * Runs tests that wait for seconds and compute little. They start together, after all `beforeAll` of the calling block, so that
 * they wait at the same time; each is reported separately. A case creates and removes everything else that it needs.
 *
 * @param cases the body of each test, by its name
 * @param patienceMs time limit of the first test, while all others run; as for any test when left out
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
  // If one test is selected by name, the others have started as well.
  afterAll(() => Promise.all(begun.values()), patienceMs);
}
