/** Longer than the server looks for an answer: a statement ends after 10 s. */
const LONGEST_MS = 12_000;

/**
 * Something of the page, as soon as the server has sent it.
 * @param find looks for it
 * @returns undefined once the whole page is there without it, or when it did not come in time: browsers do not tell that the
 * connection of a page broke
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
