export const dark = matchMedia('(prefers-color-scheme: dark)');

/** Colours of the page by name, cached: to read one, the browser recomputes all changed styles. */
const inks = new Map<string, string>();
dark.addEventListener('change', () => inks.clear());

/** The value of a colour of `tokens.css` at the moment of drawing. */
export const ink = (name: string) => (): string => {
  const known = inks.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  inks.set(name, known);
  return known;
};
