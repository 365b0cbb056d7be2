// What nodes said may hold characters that nobody sees and that turn the direction of the writing around them.
const INVISIBLE = new RegExp('[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]', 'gu');

export const byId = (id) => document.getElementById(id);
export const printable = (text) => String(text).replace(INVISIBLE, '?');

export const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = printable(text);
  return element;
};

const UNKNOWN = 'unknown';
export const isKnown = (value) => value !== null && value !== undefined && value !== '';
const known = (tell) => (value) => (isKnown(value) ? tell(value) : UNKNOWN);

export const count = known((value) => Number(value).toLocaleString());
export const decimal = known((value) => Number(value).toLocaleString([], { maximumSignificantDigits: 4 }));
export const share = known((value) => `${(100 * value).toFixed(1)} %`);
/** In few digits, for the axes of charts. */
export const short = known((value) =>
  Number(value).toLocaleString([], { notation: 'compact', maximumFractionDigits: 3 }),
);
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
export const bytes = known((value) => {
  const power = Math.min(Math.floor(Math.log2(Math.max(1, value)) / 10), UNITS.length - 1);
  return `${(value / 1024 ** power).toLocaleString([], { maximumFractionDigits: power === 0 ? 0 : 1 })} ${UNITS[power]}`;
});
export const seconds = known((value) => `${decimal(value / 1000)} s`);
export const range = ({ min, max } = {}) => {
  if (!isKnown(min) || !isKnown(max)) return UNKNOWN;
  return String(min) === String(max) ? count(min) : `${count(min)} to ${count(max)}`;
};

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const DAY = { day: 'numeric', month: 'short' };
/** Of a moment that a node named; the zero time is no moment. */
export const time = (text) => {
  const at = new Date(text);
  if (!isKnown(text) || Number.isNaN(at.getTime()) || at.getTime() <= 0) return UNKNOWN;
  return at.toLocaleString([], { ...DAY, ...CLOCK, second: '2-digit' });
};
export const clock = (at) => at.toLocaleTimeString([], { ...CLOCK, second: '2-digit' });
export const hourOf = (at) => at.toLocaleTimeString([], CLOCK);
/** The days are those of the chain's time zone, which need not be the reader's. */
export const dayOf = (at) => {
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return isMidnight ? at.toLocaleDateString([], DAY) : at.toLocaleString([], { ...DAY, ...CLOCK });
};

const STEPS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];
/** A length of time by its two largest units. */
export const lasting = (ms) => {
  const first = Math.max(
    0,
    STEPS.findIndex(([length]) => ms >= length),
  );
  let rest = ms < 1_000 ? 0 : ms;
  const parts = STEPS.slice(first, first + 2).map(([length, unit]) => {
    const whole = Math.floor(rest / length);
    rest -= whole * length;
    return whole > 0 ? `${whole} ${unit}` : '';
  });
  return parts.filter(Boolean).join(' ') || '0 s';
};

/** Nobody watched in it, so what it holds is not known: above all not zero. */
export const isUnwatched = (row) => row.coverage === 0 && !isKnown(row.submissions);
/** As the node told it, else as the price book has it; where several prices count, by the fees that were reckoned with them. */
export const gasPriceOf = (row) =>
  row.avg_gas_price ??
  row.book_gas_price ??
  (row.gas_spent_max > 0 && isKnown(row.fee_utia_max) ? row.fee_utia_max / row.gas_spent_max : null);

/** A namespace in hex without 0x. */
export const bare = (namespace) => String(namespace).replace(/^0x/i, '').toLowerCase();

/** The first of several names under which nodes tell the same. */
export const pick = (row, ...names) => names.map((name) => row[name]).find(isKnown);
