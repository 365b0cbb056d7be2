import { styleText } from 'node:util';

/** Colours and weights that are used. */
type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'cyan';

/** Gives a printable text a style, or leaves it as it is where there are no colours. */
export type Paint = (style: Style, text: string) => string;

/** How texts for standard output are painted: a screen shows colours unless somebody said NO_COLOR. */
export function painter(): Paint {
  const useColour = process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
  return useColour ? styleText : (_style, text) => text;
}
