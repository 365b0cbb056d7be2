const DAY_OR_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,3}))?(Z|[+-]\d\d:\d\d))?$/i;

/** A moment as `2026-01-01T00:00:00.000Z`: of a time with a zone, or of a day, which begins at midnight of UTC. */
export function parseInstantText(text: string): string | undefined {
  const [, day = '', minutes = '00:00', seconds = ':00', decimals = '0', zone = 'Z'] =
    DAY_OR_TIME.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The engine takes 31 February as 3 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const ms = Date.parse(`${day}T${minutes}${seconds}.${decimals}${zone.toUpperCase()}`);
  if (Number.isNaN(ms)) return undefined;
  const moment = new Date(ms).toISOString();
  // Beyond year 9999 the text has another length.
  return moment.length === 24 ? moment : undefined;
}
