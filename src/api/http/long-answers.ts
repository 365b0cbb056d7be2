/** Answers that may take as long as their client goes on taking them. */
const longOnes = new WeakSet<object>();

/** An answer is bounded by its client's progress, and not by the time of all others. To be said before it is sent. */
export function markLong(answer: object): void {
  longOnes.add(answer);
}

export function isLong(answer: object): boolean {
  return longOnes.has(answer);
}
