/** Whether the reader wants dark pages. */
export const dark = matchMedia('(prefers-color-scheme: dark)');

/** Colours of the page by their names: to read one, the browser reckons all styles that have changed. */
const inks = new Map<string, string>();
dark.addEventListener('change', () => inks.clear());

/** What a colour of `tokens.css` is at the moment that it is drawn with. */
export const ink = (name: string) => (): string => {
  const known = inks.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  inks.set(name, known);
  return known;
};
