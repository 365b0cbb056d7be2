import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import { formatTime, nanosToMillis, type Nanos } from '../../domain/time.js';
import { escapeHtml } from '../pages/plain-page.js';
import { uuidOf, type PublicIncident } from './public-summary.js';

interface FeedLinks {
  readonly page: string;
  readonly feed: string;
}

/** The address of a chain's public page. @param publicUrl of the service; the path alone when left out */
export function publicPath(chain: string, publicUrl = ''): string {
  return `${publicUrl.replace(/\/$/, '')}/public/${encodeURIComponent(chain)}`;
}

/** How long an incident lasted, or that it is ongoing. */
export function lengthInWords({ from, to }: Pick<PublicIncident, 'from' | 'to'>, at: Nanos): string {
  const length = duration(nanosToMillis((to ?? at) - from));
  return to === null ? `ongoing for ${length}` : `resolved after ${length}`;
}

/**
 * Incidents as an Atom feed (RFC 4287), one entry each.
 * @param at the present
 */
export function toIncidentFeed(
  chain: string,
  incidents: readonly PublicIncident[],
  at: Nanos,
  { page, feed }: FeedLinks,
): string {
  const changed = incidents.map(({ from, to }) => to ?? from);
  const updated = changed.reduce((last, one) => (one > last ? one : last), changed[0] ?? at);
  const name = escapeHtml(toPrintable(chain));
  const entries = incidents.map((incident) => toEntry(incident, at, page));
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:uuid:${uuidOf(chain)}</id>
<title>Incidents of ${name}</title>
<updated>${formatTime(updated, 3)}</updated>
<author><name>${name}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeHtml(feed)}"/>
<link rel="alternate" type="text/html" href="${escapeHtml(page)}"/>
${entries.join('')}</feed>
`;
}

function toEntry(incident: PublicIncident, at: Nanos, page: string): string {
  const { uuid, title, from, to } = incident;
  const state = to === null ? 'Ongoing' : 'Resolved';
  // The length of an ongoing incident would change the entry at each request.
  const length = to === null ? '' : `, ${lengthInWords(incident, at)}`;
  return `<entry>
<id>urn:uuid:${uuid}</id>
<title>${state}: ${escapeHtml(title)}</title>
<published>${formatTime(from, 3)}</published>
<updated>${formatTime(to ?? from, 3)}</updated>
<link rel="alternate" type="text/html" href="${escapeHtml(page)}"/>
<content type="text">${escapeHtml(title)} since ${formatTime(from, 0)}${length}.</content>
</entry>
`;
}
