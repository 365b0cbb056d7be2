/** Credentials inside the URLs of any text. */
const URL_WITH_PASSWORD = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@[^\s"']*/gi;

/** The URL without its password, fit for a log line. What is no URL is not printed at all. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '(not a URL)';
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  for (const name of parsed.searchParams.keys()) {
    if (/pass|secret|token|key/i.test(name)) parsed.searchParams.set(name, '***');
  }
  return parsed.toString();
}

/** Replaces the passwords in every URL of a text. */
export function redactText(text: string): string {
  return text.includes('://') ? text.replace(URL_WITH_PASSWORD, redactUrl) : text;
}
