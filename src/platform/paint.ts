import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'cyan';

/** Styles a printable text, or returns it unchanged without colours. */
export type Paint = (style: Style, text: string) => string;

/** Style for standard output: colours on a terminal, unless NO_COLOR is set. */
export function painter(): Paint {
  const useColour = process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
  return useColour ? styleText : (_style, text) => text;
}
