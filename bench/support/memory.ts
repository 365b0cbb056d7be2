const SAMPLE_MS = 500;

/** Peak bytes of the heap and outside it, after a collection, during some work. */
export async function peakOf(work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const sample = (): void => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    peak = Math.max(peak, heapUsed + external);
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return peak;
}
