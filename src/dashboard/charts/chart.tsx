import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { pageZone } from '../data/view.js';
import { IN_PART, isInPart, type ChartLine, type ChartProps } from './chart-props.js';
import { hatch, shade } from './grounds.js';
import { dark, ink } from './inks.js';
import { Legend, legendWriter } from './legend.js';
import { tickTexts } from './ticks.js';

const HEIGHT = 170;
const SYNC = 'time';
/** Bars begin where their bucket does, and cover this share of it, but at most this many pixels. */
const BARS = uPlot.paths.bars?.({ size: [0.7, 40], align: 1 });

/** Lines over time: dragging zooms in. The figures are also given in words. */
export function Chart(given: ChartProps) {
  const props = { ...given, zone: given.zone ?? pageZone() };
  const card = useRef<HTMLElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const onZoom = useRef(props.onZoom);
  onZoom.current = props.onZoom;
  // A single bucket has no course: words say more than a dot.
  const isDrawn = props.lines.some(({ values }) => values.filter((value) => value !== null).length > 1);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null || card.current === null) return;
    let clear = (): void => undefined;
    // Read before the first chart is drawn: after each chart, reading it would make the browser lay out the page again.
    const width = element.clientWidth;
    const write = legendWriter(card.current, props);
    // One task per chart, so that a page of charts stays responsive.
    const timer = window.setTimeout(() => {
      clear = draw(props, element, width, { onZoom, write });
    });
    return () => {
      window.clearTimeout(timer);
      clear();
    };
  }, [props.times, props.lines, props.zone, props.span.fromMs, props.span.toMs, props.inPart]);
  const summary = props.summary ?? summaryOf(props);
  return (
    <article ref={card} class="card chart-card">
      <header class="card-head">
        <h2>{props.title}</h2>
        {summary !== undefined && <Legend {...props} />}
      </header>
      {summary === undefined && <p class="quiet">No data for this time.</p>}
      {isDrawn && <div ref={place} class="chart" role="img" aria-label={`${props.title}. ${summary}`} />}
      {isDrawn && <p class="quiet">{summary}</p>}
    </article>
  );
}

type ZonedChart = ChartProps & { readonly zone: string };

interface Reactions {
  readonly onZoom: { readonly current: ChartProps['onZoom'] };
  /** Shows the values of a bucket, or the newest values without a pointer. */
  readonly write: (index: number | null | undefined) => void;
}

/** @returns a function that removes the chart */
function draw(props: ZonedChart, element: HTMLElement, width: number, reactions: Reactions): () => void {
  const data = [props.times, ...props.lines.map(({ values }) => values)] as uPlot.AlignedData;
  const plot = new uPlot(optionsOf(props, width, reactions), data, element);
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

/** Least, largest and last value of the first line with known values; undefined when all are unknown. */
function summaryOf(props: ChartProps): string | undefined {
  const { lines, format } = props;
  const line = lines.find(({ values }) => values.some((value) => value !== null));
  const values = line?.values ?? [];
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const isPart = isInPart(props);
  // A partly counted bucket would be the least value.
  const whole = values.filter((value, index) => value !== null && !isPart(index)) as number[];
  const [least, most] = [Math.min(...(whole.length > 0 ? whole : known)), Math.max(...known)];
  const label = line?.label ?? '';
  const end = isPart(values.lastIndexOf(last)) ? `${format(last)}${IN_PART}` : format(last);
  if (least === most && last === least) return `${label}: constant ${format(last)}`;
  return `${label}: min ${format(least)}, max ${format(most)}, last ${end}`;
}

function optionsOf(props: ZonedChart, width: number, { onZoom, write }: Reactions): uPlot.Options {
  const { lines, format, steps, top, zone, span, isBand = false, uncovered = [], inPart = [] } = props;
  const thin = { stroke: ink('--line'), width: 1 };
  const axis = { stroke: ink('--quiet'), grid: thin, ticks: thin, font: `11px ${ink('--font')()}` };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    legend: { show: false },
    cursor: { sync: { key: SYNC }, drag: { x: true, y: false, setScale: false }, y: false },
    scales: {
      x: { range: () => [span.fromMs / 1000, span.toMs / 1000] },
      y: { range: (_, __, most) => [0, top ?? (most > 0 ? most * 1.1 : 1)] },
    },
    axes: [
      { ...axis, space: 70, values: (_, splits) => tickTexts(splits, zone) },
      {
        ...axis,
        size: widthOf,
        values: (_, splits) => splits.map(format),
        ...(steps && { incrs: [...steps] }),
      },
    ],
    series: [{}, ...lines.map(seriesOf)],
    ...(isBand && { bands: [{ series: [1, 2], fill: () => `${ink('--accent')()}40` }] }),
    hooks: {
      drawClear: [(plot) => shade(plot, uncovered)],
      // Drawn over the bars, which would cover it.
      draw: [(plot) => hatch(plot, inPart)],
      setCursor: [({ cursor: { idx } }) => write(idx)],
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

/** The room that the marks of an axis need, in pixels. */
function widthOf(_: uPlot, marks: readonly string[] | null): number {
  return 24 + 7 * Math.max(4, ...(marks ?? []).map((mark) => mark.length));
}

function seriesOf({ colour, bars = false, dashed = false }: ChartLine): uPlot.Series {
  const stroke = ink(colour);
  return {
    stroke,
    spanGaps: false,
    ...(dashed && { dash: [6, 4] }),
    ...(bars
      ? { width: 0, fill: stroke, points: { show: false }, paths: BARS }
      : { width: 1.75, points: { show: true, size: 4, fill: stroke, filter: isolatedPoints } }),
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
