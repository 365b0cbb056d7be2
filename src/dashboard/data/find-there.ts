/**
 * Something of the page, as soon as the server has sent it.
 * @param find looks for it
 * @returns undefined once all of the page is there without it
 */
export function findThere<Found>(find: () => Found | undefined): Promise<Found | undefined> {
  return new Promise((resolve) => {
    const look = (): void => {
      const found = find();
      if (found === undefined && document.readyState === 'loading') return;
      watcher.disconnect();
      document.removeEventListener('readystatechange', look);
      resolve(found);
    };
    const watcher = new MutationObserver(look);
    watcher.observe(document, { childList: true, subtree: true });
    document.addEventListener('readystatechange', look);
    look();
  });
}
