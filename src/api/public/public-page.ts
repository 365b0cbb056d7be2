import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import { formatTime, type Millis, type Nanos } from '../../domain/time.js';
import { escapeHtml, policyOf, toPlainPage } from '../pages/plain-page.js';
import { lengthInWords, publicPath } from './incident-feed.js';
import {
  uptimePercent,
  type FinalityTimes,
  type PublicDay,
  type PublicIncident,
  type PublicSummary,
} from './public-summary.js';

/** The colours are those of `tokens.css`. */
const STYLE = `:root{color-scheme:light dark;--ground:#f9f9fb;--panel:#fff;--line:#e0e1e6;--ink:#1c2024;--quiet:#60646c;--accent:#5753c6;--up:#30a46c;--down:#e5484d;--blank:#cdced6}
@media(prefers-color-scheme:dark){:root{--ground:#111113;--panel:#18191b;--line:#2e3135;--ink:#edeef0;--quiet:#b0b4ba;--accent:#b1a9ff;--blank:#43484e}}
*{box-sizing:border-box}body{font:15px/1.5 system-ui,sans-serif;margin:0;color:var(--ink);background:var(--ground)}
main,footer{max-width:52rem;margin:0 auto;padding:1rem}h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .5rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:1rem 0 1.5rem}
section{background:var(--panel);border:1px solid var(--line);border-radius:.625rem;padding:1rem;margin:0 0 1rem}
.state{border-radius:.375rem;padding:.1rem .6rem;font-weight:600;color:#fff}.healthy{background:#218358}.degraded{background:#ffc53d;color:#1c2024}.down{background:#ce2c31}.unknown{background:#60646c}
p,dl{margin:.25rem 0}a{color:var(--accent)}.quiet,footer{color:var(--quiet);font-size:.8125rem}
svg{display:block;width:100%;height:2.5rem}.up{fill:var(--up)}.bad{fill:var(--down)}.blank{fill:var(--blank)}
dl{display:flex;flex-wrap:wrap;gap:.5rem 2rem}dt{color:var(--quiet);font-size:.8125rem}dd{margin:0;font-size:1.125rem}
table{border-collapse:collapse;width:100%}td,th{border-top:1px solid var(--line);padding:.3rem .6rem .3rem 0;text-align:left;vertical-align:top}
time{white-space:nowrap}summary{cursor:pointer;margin-top:.5rem}`;

export const PUBLIC_PAGE_POLICY = policyOf(STYLE);

/** The page that strangers may see, with the parts of the summary that are there. */
export function toPublicPage({ chain, at, state, days, incidents, finality }: PublicSummary): string {
  const name = toPrintable(chain);
  const path = publicPath(chain);
  const feed = `${path}/incidents.atom`;
  const more = incidents
    ? `<link rel="alternate" type="application/atom+xml" title="Incidents" href="${escapeHtml(feed)}">`
    : '';
  const links = [
    ...(incidents ? [`<a href="${escapeHtml(feed)}">Feed of incidents</a>`] : []),
    ...(state ? [`<a href="${escapeHtml(path)}/badge.svg">Badge</a>`] : []),
  ];
  const body = `<main>
<header><h1>${escapeHtml(name)}</h1>${state ? `<span class="state ${state}">${state}</span>` : ''}</header>
${days ? toUptime(days) : ''}${incidents ? toIncidents(incidents, at) : ''}${finality === undefined ? '' : toFinality(finality)}</main>
<footer>${[`As of ${minuteOf(at)}. All times are UTC.`, ...links].join(' · ')}</footer>
`;
  return toPlainPage(`${name}: data availability`, body, STYLE, more);
}

function minuteOf(time: Nanos): string {
  return formatTime(time, 0).slice(0, 16).replace('T', ' ');
}

/** The words for a share of time; unknown is never a number. */
function percentInWords(days: readonly PublicDay[]): string {
  const percent = uptimePercent(days);
  return percent === null ? 'not monitored' : `${percent} %`;
}

const BAR_HEIGHT = 40;
/** Down time of a day is at least this high, so that a short outage can be seen. */
const LEAST_HEIGHT = 4;

/** A bar for each day: up, down and unmonitored time, stacked. */
function toUptime(days: readonly PublicDay[]): string {
  const [first] = days;
  if (first === undefined) return '<section><h2>Uptime</h2><p>Not monitored yet.</p></section>\n';
  const bars = days.map((day, index) => toBar(day, index * 4)).join('');
  const blank = days.filter((day) => uptimePercent([day]) === null).length;
  const percent = uptimePercent(days);
  const about = [
    percent === null ? 'Not monitored' : `Up ${percent} % of the monitored time`,
    ` in ${days.length} days`,
    blank > 0 && percent !== null ? `; ${blank} days not monitored` : '',
  ].join('');
  const rows = days.toReversed().map((day) => {
    const cells = [dayOf(day), percentInWords([day]), ofDay(day.downMs), ofDay(day.unknownMs)];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<section><h2>Uptime</h2><p>${about}</p>
<svg role="img" aria-label="Uptime by day: ${about}" viewBox="0 0 ${days.length * 4 - 1} ${BAR_HEIGHT}" preserveAspectRatio="none">${bars}</svg>
<p class="quiet">${dayOf(first)} to today. Green: up. Red: down. Grey: not monitored, so unknown. Each day shows the node with the most down time.</p>
<details><summary>Days as a table</summary><table><thead><tr><th>Day</th><th>Uptime</th><th>Down</th><th>Not monitored</th></tr></thead><tbody>${rows.join('')}</tbody></table></details></section>
`;
}

function dayOf({ time }: PublicDay): string {
  return formatTime(time, 0).slice(0, 10);
}

/** Uptime counts what it loses by rounding to milliseconds as unknown. */
const ROUNDING_MS: Millis = 3;

function ofDay(ms: Millis): string {
  return ms <= ROUNDING_MS ? 'none' : duration(ms);
}

function toBar(day: PublicDay, x: number): string {
  const { upMs, downMs, unknownMs } = day;
  const all = upMs + downMs + unknownMs;
  const high = (ms: Millis): number => (all === 0 ? 0 : (ms / all) * BAR_HEIGHT);
  const down = downMs === 0 ? 0 : Math.max(LEAST_HEIGHT, high(downMs));
  const up = Math.min(high(upMs), BAR_HEIGHT - down);
  const parts = [
    ['bad', down],
    ['up', up],
    ['blank', BAR_HEIGHT - down - up],
  ] as const;
  let bottom = BAR_HEIGHT;
  const rects = parts.map(([name, height]) => {
    if (height < 0.05) return '';
    bottom -= height;
    return `<rect class="${name}" x="${x}" y="${bottom.toFixed(1)}" width="3" height="${height.toFixed(1)}"/>`;
  });
  const isCut = upMs + downMs > 0 && unknownMs > ROUNDING_MS;
  const about = `${dayOf(day)}: ${percentInWords([day])}${isCut ? `, not monitored for ${duration(unknownMs)}` : ''}`;
  return `<g><title>${about}</title>${rects.join('')}</g>`;
}

function toIncidents(incidents: readonly PublicIncident[], at: Nanos): string {
  const rows = incidents.map((incident) => {
    const [date, minute] = minuteOf(incident.from).split(' ');
    const since = `<time datetime="${formatTime(incident.from, 0)}">${date}</time> ${minute}`;
    const cells = [escapeHtml(incident.title), since, lengthInWords(incident, at)];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const table = `<table><thead><tr><th>Trouble</th><th>Since</th><th>State</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  return `<section><h2>Incidents</h2>${rows.length > 0 ? table : '<p>None recorded in 90 days.</p>'}</section>\n`;
}

function toFinality(finality: FinalityTimes | null): string {
  const about = 'Time from a block to its inclusion on the DA layer';
  if (finality === null)
    return `<section><h2>Finality</h2><p>Unknown: no block of the last 24 h is known to be included.</p></section>\n`;
  const { since, p50, p90, p99, counted } = finality;
  const figures = Object.entries({ p50, p90, p99 }).map(
    ([name, ms]) => `<div><dt>${name}</dt><dd>${duration(ms)}</dd></div>`,
  );
  const note = counted ? '' : '; not all blocks are counted yet';
  return `<section><h2>Finality</h2><dl>${figures.join('')}</dl>
<p class="quiet">${about}, since ${minuteOf(since)}${note}.</p></section>
`;
}
