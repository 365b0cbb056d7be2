import { useLocation } from 'preact-iso';
import { moment } from '../data/words.js';

/** The look of a mark: its shape as well as its colour. */
type MarkStyle = 'HEALTHY' | 'WARNING' | 'CRITICAL' | 'UNKNOWN' | 'PLAIN';

/** A moment, or a stretch of time. */
export interface Mark {
  readonly fromMs: number;
  /** Left out for a moment. */
  readonly toMs?: number;
  readonly look: MarkStyle;
  readonly title: string;
  /** The address that a click leads to; the table next to a timeline has the same links. */
  readonly href?: string;
}

export interface Lane {
  readonly name: string;
  readonly marks: readonly Mark[];
}

/** Lanes over one time. A table has the same content, for readers who cannot see or point. */
export function Timeline(given: {
  readonly label: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** The moment in question, marked by a line. */
  readonly atMs?: number;
  readonly lanes: readonly Lane[];
}) {
  const { label, fromMs, toMs, atMs, lanes } = given;
  const place = (ms: number): number =>
    (100 * (Math.min(toMs, Math.max(fromMs, ms)) - fromMs)) / (toMs - fromMs);
  return (
    <div class="timeline" role="img" aria-label={label}>
      {lanes.map(({ name, marks }) => (
        <div class="lane" key={name}>
          <span class="quiet">{name}</span>
          <svg width="100%" height="26">
            <line x1="0" x2="100%" y1="13" y2="13" />
            {atMs !== undefined && (
              <line class="at" x1={`${place(atMs)}%`} x2={`${place(atMs)}%`} y1="0" y2="26" />
            )}
            {marks.map((mark, index) => (
              <MarkShape key={index} mark={mark} place={place} />
            ))}
          </svg>
        </div>
      ))}
      <div class="lane quiet">
        <span />
        <div class="ends">
          <span>{moment(fromMs)}</span>
          <span>{moment(toMs)}</span>
        </div>
      </div>
    </div>
  );
}

function MarkShape({ mark, place }: { readonly mark: Mark; readonly place: (ms: number) => number }) {
  const { route } = useLocation();
  const { fromMs, toMs, look, title, href } = mark;
  const follow = href === undefined ? undefined : () => route(href);
  const shared = { class: `mark ${look}${href === undefined ? '' : ' leads'}`, onClick: follow };
  const from = place(fromMs);
  if (toMs !== undefined)
    return (
      <rect {...shared} x={`${from}%`} width={`${Math.max(0.2, place(toMs) - from)}%`} y="6" height="14">
        <title>{title}</title>
      </rect>
    );
  if (look === 'CRITICAL')
    return (
      <svg x={`${from}%`} y="13">
        <path {...shared} d="M-5-5 5 5M5-5-5 5">
          <title>{title}</title>
        </path>
      </svg>
    );
  return (
    <circle {...shared} cx={`${from}%`} cy="13" r="4.5">
      <title>{title}</title>
    </circle>
  );
}
