import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const HEIGHT = 180;
const SYNC = 'time';

/** A line of a chart: null is a gap. */
interface Line {
  readonly label: string;
  readonly colour: '--accent' | '--critical' | '--warning' | '--quiet';
  readonly values: readonly (number | null)[];
}

/** The lines of a chart and their words. Charts of a page share their cursor. */
export interface ChartProps {
  readonly title: string;
  /** Starts of buckets, ascending; seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly tell: (value: number) => string;
  /** The largest value of the axis, where it is fixed. */
  readonly top?: number | undefined;
  readonly zone: string;
  /** A stretch was drawn over; ms since 1970. */
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

/** Lines over time: drag to look at a part of it. Its figures are told in words, too. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const onZoom = useRef(props.onZoom);
  onZoom.current = props.onZoom;
  useEffect(() => {
    const element = place.current;
    if (element === null || props.times.length === 0) return;
    const data = [props.times, ...props.lines.map(({ values }) => values)] as uPlot.AlignedData;
    const plot = new uPlot(optionsOf(props, element.clientWidth, onZoom), data, element);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => plot.redraw();
    dark.addEventListener('change', redraw);
    return () => {
      dark.removeEventListener('change', redraw);
      watcher.disconnect();
      plot.destroy();
    };
  }, [props.times, props.lines, props.zone]);
  const summary = summaryOf(props);
  return (
    <article class="card">
      <h3>{props.title}</h3>
      {summary === undefined ? (
        <p class="quiet">Nothing is known of this time.</p>
      ) : (
        <>
          <div ref={place} class="chart" role="img" aria-label={`${props.title}. ${summary}`} />
          <p class="quiet">{summary}</p>
        </>
      )}
    </article>
  );
}

/** Least, largest and last value of the first line; undefined where nothing is known of any. */
function summaryOf({ lines, tell }: ChartProps): string | undefined {
  const known = (lines[0]?.values ?? []).filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const label = lines[0]?.label ?? '';
  if (least === most) return `${label}: ${tell(last)} throughout`;
  return `${label}: least ${tell(least)}, most ${tell(most)}, last ${tell(last)}`;
}

const ink = (name: string) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function optionsOf(
  { lines, tell, top, zone }: ChartProps,
  width: number,
  onZoom: { readonly current: ChartProps['onZoom'] },
): uPlot.Options {
  const thin = { stroke: ink('--line'), width: 1 };
  const axis = { stroke: ink('--quiet'), grid: thin, ticks: thin, font: '12px system-ui, sans-serif' };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    cursor: { sync: { key: SYNC }, drag: { x: true, y: false, setScale: false }, y: false },
    scales: { y: { range: (_, __, most) => [0, top ?? (most > 0 ? most * 1.1 : 1)] } },
    axes: [axis, { ...axis, size: 74, values: (_, splits) => splits.map(tell) }],
    series: [
      { label: zone },
      ...lines.map(({ label, colour }) => ({
        label,
        stroke: ink(colour),
        width: 2,
        spanGaps: false,
        points: { show: true, size: 6, fill: ink(colour), filter: isolatedPoints },
        value: (_: uPlot, value: number | null) => (value === null ? 'unknown' : tell(value)),
      })),
    ],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width: length } = plot.select;
          if (length > 4)
            onZoom.current(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + length, 'x') * 1000);
        },
      ],
    },
  };
}

/** Places of values between gaps, which no line shows. */
function isolatedPoints(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isGap = (value: number | null | undefined): boolean => value === null || value === undefined;
  return [...values.keys()].filter(
    (index) => !isGap(values[index]) && isGap(values[index - 1]) && isGap(values[index + 1]),
  );
}
