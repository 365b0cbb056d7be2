const SAMPLE_MS = 500;

/** Bytes of the heap and beside it, after a collection, at the worst moment of some work. */
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
