/** Longer than the server looks for an answer: a statement ends after 10 s. */
const LONGEST_MS = 12_000;

/**
 * Something of the page, as soon as the server has sent it.
 * @param find looks for it
 * @returns undefined once all of the page is there without it, or is not there in time: browsers do not tell of a page whose
 * connection broke, and take it for one that goes on
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
