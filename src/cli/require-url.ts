import { UserError } from '../platform/errors.js';
import { redactUrl } from '../platform/redact.js';

/** @throws UserError if the text is not the address of an HTTP server */
export function requireUrl(text: string): void {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isUrl) {
    throw new UserError(
      URL.canParse(text) ? `${redactUrl(text)} is not an HTTP address.` : 'The address is not a URL.',
      'Give it as http://HOST:PORT or https://HOST:PORT.',
      2,
    );
  }
}
