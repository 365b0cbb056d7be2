import { urlValue } from './values.js';

/** The modes of libpq that the driver has, and one of the driver's own. */
const MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Makes the driver read `sslmode` as libpq does: by itself it takes every mode for `verify-full`. */
const AS_LIBPQ = 'uselibpqcompat=true';

/** The URL of a Postgres. `sslmode` and `sslrootcert` mean what libpq's documentation says. */
export const databaseUrlValue = urlValue('postgres:', 'postgresql:')
  .superRefine((text, context) => {
    const fault = URL.canParse(text) ? findFault(new URL(text).searchParams) : undefined;
    if (fault !== undefined) context.addIssue(fault);
  })
  .transform((text) => {
    const parameters = new URL(text).searchParams;
    if (parameters.get('sslrootcert') === 'system') {
      // The driver trusts the system's authorities when it is given none.
      return text.replace(/sslrootcert=system/, 'sslmode=verify-full');
    }
    const mode = parameters.get('sslmode');
    return mode === null || mode === 'no-verify' || parameters.has('uselibpqcompat')
      ? text
      : `${text}&${AS_LIBPQ}`;
  });

function findFault(parameters: URLSearchParams): string | undefined {
  const mode = parameters.get('sslmode');
  const root = parameters.get('sslrootcert');
  if (mode !== null && !MODES.includes(mode)) return `must have an sslmode of ${MODES.join(', ')}`;
  if (mode === 'verify-ca' && root === null) {
    return 'must have sslrootcert=FILE, the certificate of the authority, for sslmode=verify-ca';
  }
  if (root === 'system' && mode !== null && mode !== 'verify-full') {
    return 'must have sslmode=verify-full for sslrootcert=system';
  }
  return undefined;
}
