import uPlot from 'uplot';
import {
  bytes,
  count,
  dayOf,
  decimal,
  gasPriceOf,
  hourOf,
  isKnown,
  isUnwatched,
  make,
  seconds,
  share,
  short,
} from './words.js';

const HEIGHT = 170;
const GAP_SHARE = 0.3;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const ink = (name) => () => colour(name);

const bars = uPlot.paths.bars({ size: [1 - GAP_SHARE, 60] });
const line = (label, pick, tell) => ({
  label,
  pick,
  tell,
  colour: '--accent',
  points: { show: true, size: 5 },
});

/** What is drawn of each bucket. Of bars the later ones stand before the earlier ones. */
const CHARTS = [
  {
    title: 'Submissions',
    tell: count,
    onAxis: short,
    series: [
      {
        label: 'Failures',
        pick: (row) => row.submissions,
        legend: (row) => row.failures,
        colour: '--critical',
        paths: bars,
      },
      { label: 'Successes', pick: (row) => row.successes, colour: '--accent', paths: bars },
    ],
  },
  { title: 'Success rate', tell: share, top: 1, series: [line('Success rate', (row) => row.success_rate)] },
  {
    title: 'Average gas price, utia',
    tell: decimal,
    onAxis: short,
    series: [line('Gas price', gasPriceOf)],
  },
  {
    title: 'Gas spent',
    tell: count,
    onAxis: short,
    series: [{ label: 'Gas at least', pick: (row) => row.gas_spent_min, colour: '--accent', paths: bars }],
  },
  {
    title: 'Bytes posted',
    tell: bytes,
    series: [{ label: 'Bytes', pick: (row) => row.bytes, colour: '--accent', paths: bars }],
  },
  {
    title: 'Average submission time',
    tell: seconds,
    series: [line('Time', (row) => row.avg_submission_time_ms)],
  },
];

const numberOf = (value) => (isKnown(value) ? Number(value) : null);
const pickKnown = (series) => (row) => (isUnwatched(row) ? null : numberOf(series.pick(row)));

class Chart {
  constructor({ title, tell, onAxis = tell, top, series }, { by, lengthS, tellTime }) {
    this.series = series;
    this.tell = tell;
    this.lengthS = lengthS;
    this.rows = [];
    this.element = make('article', 'card');
    this.place = make('div', 'chart');
    this.place.setAttribute('role', 'img');
    this.summary = make('p', 'quiet');
    this.title = `${title} by ${by}`;
    this.element.append(make('h3', '', this.title), this.place, this.summary);
    this.options = {
      height: HEIGHT,
      cursor: { drag: { x: false, y: false }, y: false },
      legend: { markers: { width: 0 } },
      scales: {
        x: { range: () => this.period() },
        y: { range: (_, __, most) => [0, top ?? (most > 0 ? most * 1.1 : 1)] },
      },
      axes: [
        this.axis({ values: (_, splits) => splits.map((at) => tellTime(new Date(at * 1000))), space: 60 }),
        this.axis({ values: (_, splits) => splits.map(onAxis), size: 70 }),
      ],
      series: [
        { label: by, value: (_, at) => (at === null ? '–' : tellTime(new Date(at * 1000))) },
        ...series.map((each) => this.drawn(each)),
      ],
      hooks: { drawClear: [(plot) => this.shade(plot)] },
    };
  }

  axis(more) {
    const thin = { stroke: ink('--line'), width: 1 };
    return { stroke: ink('--quiet'), grid: thin, ticks: thin, font: '12px system-ui, sans-serif', ...more };
  }

  drawn({ label, colour, paths, legend, pick, points = { show: false } }) {
    return {
      label,
      stroke: ink(colour),
      fill: paths && ink(colour),
      paths,
      points,
      width: paths ? 0 : 2,
      value: (_, value, __, index) => (value === null ? '–' : this.tell((legend ?? pick)(this.rows[index]))),
    };
  }

  /** From the beginning of the first bucket to the end of the last one, as seconds since 1970. */
  period() {
    const half = this.lengthS / 2;
    const times = this.times();
    return [(times[0] ?? 0) - half, (times.at(-1) ?? 0) + half];
  }

  /** The middle of each bucket. */
  times() {
    return this.rows.map(({ time }) => Date.parse(time) / 1000 + this.lengthS / 2);
  }

  shade(plot) {
    const { ctx, bbox } = plot;
    ctx.fillStyle = colour('--line');
    this.times().forEach((at, index) => {
      ctx.globalAlpha = 1 - (this.rows[index].coverage ?? 1);
      const from = Math.round(plot.valToPos(at - this.lengthS / 2, 'x', true));
      const to = Math.round(plot.valToPos(at + this.lengthS / 2, 'x', true));
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
    });
    ctx.globalAlpha = 1;
  }

  show(rows) {
    this.rows = rows;
    const columns = this.series.map((each) => rows.map(pickKnown(each)));
    const values = columns[0].filter(isKnown);
    const text =
      values.length === 0
        ? 'Nothing is known.'
        : `From ${this.tell(Math.min(...values))} to ${this.tell(Math.max(...values))}; ${this.tell(values.at(-1))} at the end.`;
    this.summary.textContent = text;
    this.place.setAttribute('aria-label', `${this.title}. ${text}`);
    const data = [this.times(), ...columns];
    if (this.plot) this.plot.setData(data);
    else this.plot = new uPlot({ ...this.options, width: this.place.clientWidth }, data, this.place);
  }

  fit() {
    this.plot?.setSize({ width: this.place.clientWidth, height: HEIGHT });
  }
}

/** All charts, each by hour and by day. */
export class Charts {
  constructor(element) {
    const hours = { by: 'hour', lengthS: 3_600, tellTime: hourOf };
    const days = { by: 'day', lengthS: 86_400, tellTime: dayOf };
    this.pairs = CHARTS.map((chart) => [new Chart(chart, hours), new Chart(chart, days)]);
    element.append(...this.pairs.flat().map((chart) => chart.element));
    new ResizeObserver(() => this.each((chart) => chart.fit())).observe(element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.each((chart) => chart.plot?.redraw()),
    );
  }

  each(use) {
    for (const chart of this.pairs.flat()) use(chart);
  }

  show({ hourly, daily }) {
    for (const [byHour, byDay] of this.pairs) {
      byHour.show(hourly);
      byDay.show(daily);
    }
  }
}
