import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { moment } from '../data/words.js';
import type { InPart, Unwatched } from './buckets.js';
import { hatch, shade } from './grounds.js';
import { dark, ink } from './inks.js';
import { tickTexts } from './ticks.js';

const HEIGHT = 180;
const SYNC = 'time';
/** Bars begin where their bucket does, and cover this share of it, but at most this many pixels. */
const BARS = uPlot.paths.bars?.({ size: [0.7, 40], align: 1 });

/** Colours of `tokens.css`; the numbered ones distinguish the parts of a sum. */
export type Colour = '--accent' | '--critical' | '--warning' | '--quiet' | `--part-${1 | 2 | 3 | 4 | 5}`;

/** A line of a chart: null is a gap. */
interface Line {
  readonly label: string;
  readonly colour: Colour;
  readonly values: readonly (number | null)[];
  /** Draws values as bars from zero: in a stack, the tallest bar comes first and the next is drawn over it. */
  readonly bars?: boolean;
  /** For bounds and expected values, which are no figures. */
  readonly dashed?: boolean;
  /** The value to report where it differs from the drawn one: the part of a stack, not its height. */
  readonly shown?: readonly (number | null)[];
}

/** The lines of a chart and their words. The charts of a page share their cursor. */
export interface ChartProps {
  readonly title: string;
  /** Starts of buckets, ascending; seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly tell: (value: number) => string;
  /** Like `tell`, with all digits, for the value under the pointer. */
  readonly exactly?: (value: number) => string;
  /** Fills the space between the first two lines: bounds of a value. */
  readonly isBand?: boolean;
  /** The summary of the chart, if it is not that of its first line. */
  readonly summary?: string;
  /** The largest value of the axis, if it is fixed. */
  readonly top?: number | undefined;
  /** Shaded: the values there may be lower than the real ones. */
  readonly unwatched?: readonly Unwatched[];
  /** Hatched: these buckets are only partly counted. */
  readonly inPart?: readonly InPart[];
  readonly zone: string;
  /** The range shown, even if nothing is known of its ends; ms since 1970. */
  readonly span: { readonly fromMs: number; readonly toMs: number };
  /** Called with a selected stretch, ms since 1970. Left out for charts without zoom. */
  readonly onZoom?: (fromMs: number, toMs: number) => void;
}

/** Lines over time: dragging zooms in. The figures are also given in words. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const onZoom = useRef(props.onZoom);
  onZoom.current = props.onZoom;
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null || props.times.length === 0) return;
    let clear = (): void => undefined;
    // Read before the first chart is drawn: after each chart, reading it would make the browser lay out the page again.
    const width = element.clientWidth;
    // One task per chart, so that a page of charts stays responsive.
    const timer = window.setTimeout(() => {
      clear = draw(props, element, width, onZoom);
    });
    return () => {
      window.clearTimeout(timer);
      clear();
    };
  }, [props.times, props.lines, props.zone, props.span.fromMs, props.span.toMs, props.inPart]);
  const summary = props.times.length === 0 ? undefined : (props.summary ?? summaryOf(props));
  return (
    <article class="card">
      <h3>{props.title}</h3>
      {summary === undefined ? (
        <p class="quiet">No data for this time.</p>
      ) : (
        <>
          <div ref={place} class="chart" role="img" aria-label={`${props.title}. ${summary}`} />
          <p class="quiet">{summary}</p>
        </>
      )}
    </article>
  );
}

/** @returns a function that removes the chart */
function draw(
  props: ChartProps,
  element: HTMLElement,
  width: number,
  onZoom: { readonly current: ChartProps['onZoom'] },
): () => void {
  const data = [props.times, ...props.lines.map(({ values }) => values)] as uPlot.AlignedData;
  const plot = new uPlot(optionsOf(props, width, onZoom), data, element);
  const watcher = new ResizeObserver(([entry]) => {
    const fits = Math.round(entry?.contentRect.width ?? 0);
    // The observer also reports the initial size, for which the plot would be drawn once more.
    if (fits !== plot.width) plot.setSize({ width: fits, height: HEIGHT });
  });
  watcher.observe(element);
  const redraw = (): void => plot.redraw();
  dark.addEventListener('change', redraw);
  return () => {
    dark.removeEventListener('change', redraw);
    watcher.disconnect();
    plot.destroy();
  };
}

/** Least, largest and last value of the first line; undefined when all are unknown. */
function summaryOf(props: ChartProps): string | undefined {
  const { lines, tell } = props;
  const values = lines[0]?.values ?? [];
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const isPart = isInPart(props);
  // A partly counted bucket would be the least value.
  const whole = values.filter((value, index) => value !== null && !isPart(index)) as number[];
  const [least, most] = [Math.min(...(whole.length > 0 ? whole : known)), Math.max(...known)];
  const label = lines[0]?.label ?? '';
  const end = isPart(values.lastIndexOf(last)) ? `${tell(last)}${IN_PART}` : tell(last);
  if (least === most && last === least) return `${label}: ${tell(last)} throughout`;
  return `${label}: least ${tell(least)}, most ${tell(most)}, last ${end}`;
}

const IN_PART = ' (in part)';

/** Whether the bucket at an index is only partly counted. */
function isInPart({ times, inPart = [] }: Pick<ChartProps, 'times' | 'inPart'>): (index: number) => boolean {
  const starts = new Set(inPart.map(({ from }) => from));
  return (index) => starts.has(times[index] ?? Number.NaN);
}

function optionsOf(
  props: ChartProps,
  width: number,
  onZoom: { readonly current: ChartProps['onZoom'] },
): uPlot.Options {
  const { lines, tell, exactly = tell, top, zone, span, isBand = false, unwatched = [], inPart = [] } = props;
  const isPart = isInPart(props);
  const thin = { stroke: ink('--line'), width: 1 };
  const axis = { stroke: ink('--quiet'), grid: thin, ticks: thin, font: '12px system-ui, sans-serif' };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    cursor: { sync: { key: SYNC }, drag: { x: true, y: false, setScale: false }, y: false },
    scales: {
      x: { range: () => [span.fromMs / 1000, span.toMs / 1000] },
      y: { range: (_, __, most) => [0, top ?? (most > 0 ? most * 1.1 : 1)] },
    },
    axes: [
      { ...axis, space: 70, values: (_, splits) => tickTexts(splits, zone) },
      { ...axis, size: 88, values: (_, splits) => splits.map(tell) },
    ],
    series: [
      {
        label: zone,
        value: (plot: uPlot, pointed: number | null) => {
          const second = pointed ?? plot.data[0].at(-1);
          return second === undefined ? '' : moment(new Date(second * 1000).toISOString(), zone);
        },
      },
      ...lines.map((line) => seriesOf(line, exactly, isPart)),
    ],
    ...(isBand && { bands: [{ series: [1, 2], fill: () => `${ink('--accent')()}40` }] }),
    hooks: {
      drawClear: [(plot) => shade(plot, unwatched)],
      // Drawn over the bars, which would cover it.
      draw: [(plot) => hatch(plot, inPart)],
      setSelect: [
        (plot) => {
          const { left, width: length } = plot.select;
          if (length > 4)
            onZoom.current?.(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + length, 'x') * 1000);
        },
      ],
    },
  };
}

function seriesOf(
  { label, colour, bars = false, dashed = false, shown }: Line,
  tell: ChartProps['tell'],
  isPart: (index: number) => boolean,
): uPlot.Series {
  return {
    label,
    stroke: ink(colour),
    spanGaps: false,
    value: (plot: uPlot, _: number | null, series: number, pointed: number | null) => {
      // Without a pointer it is the newest bucket.
      const index = pointed ?? plot.data[0].length - 1;
      const own = (shown ?? plot.data[series])?.[index] ?? null;
      return own === null ? 'unknown' : `${tell(own)}${isPart(index) ? IN_PART : ''}`;
    },
    ...(dashed && { dash: [6, 4] }),
    ...(bars
      ? { width: 0, fill: ink(colour), points: { show: false }, paths: BARS }
      : { width: 2, points: { show: true, size: 6, fill: ink(colour), filter: isolatedPoints } }),
  };
}

/** Indexes of values between gaps, which no line shows. */
function isolatedPoints(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isGap = (value: number | null | undefined): boolean => value === null || value === undefined;
  return [...values.keys()].filter(
    (index) => !isGap(values[index]) && isGap(values[index - 1]) && isGap(values[index + 1]),
  );
}
