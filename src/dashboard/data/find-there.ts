/** Longer than the server's limit for an answer: a statement ends after 10 s. */
const LONGEST_MS = 12_000;

/**
 * Waits for a part of the page until the server has sent it.
 * @param find searches for the part
 * @returns undefined when the whole page has loaded without it, or when it did not come in time: browsers do not report that a
 * page's connection broke
 */
export function findThere<Found>(find: () => Found | undefined): Promise<Found | undefined> {
  return new Promise((resolve) => {
    const end = (found: Found | undefined): void => {
      clearTimeout(timer);
      watcher.disconnect();
      document.removeEventListener('readystatechange', look);
      resolve(found);
    };
    const look = (): void => {
      const found = find();
      if (found !== undefined || document.readyState !== 'loading') end(found);
    };
    const timer = setTimeout(() => end(undefined), LONGEST_MS);
    const watcher = new MutationObserver(look);
    watcher.observe(document, { childList: true, subtree: true });
    document.addEventListener('readystatechange', look);
    look();
  });
}
