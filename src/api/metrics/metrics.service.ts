import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { within } from '../../platform/clock.js';
import { keptFor } from '../../platform/kept-for.js';
import { RareLog } from '../../platform/rare-log.js';
import { isTimeSliceOver, nextTimeSlice } from '../../platform/time-slices.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { FiguresQuery } from './figures.query.js';
import { FIGURES, type FigureName, type Sample } from './metric-table.js';
import { OwnRegistry } from './own-registry.js';

/** All scrapes within this time get the same text. */
const FRESH_MS = 3_000;

/** By default, a scrape ends after 10 s; figures that arrive later are in the next scrape. */
const PATIENCE_MS = 5_000;

/** The answer of `/metrics`, computed at most once per {@link FRESH_MS}, however many clients scrape. */
@Injectable()
export class MetricsService {
  /** Prometheus text format. Without the figures of the database if it does not answer. */
  readonly getText: () => Promise<string>;
  private readonly complaints: RareLog;
  private reading: Promise<string> | undefined;

  constructor(
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'logger' | 'metrics'>,
    private readonly own: OwnRegistry,
    private readonly figures: FiguresQuery,
  ) {
    this.getText = keptFor(options.clock, FRESH_MS, () => this.compose());
    this.complaints = new RareLog(options.clock, options.logger);
  }

  private async compose(): Promise<string> {
    const figures = this.options.metrics.tellsFigures ? await this.findFigures() : '';
    return `${await this.own.print()}${figures}`;
  }

  private async findFigures(): Promise<string> {
    this.reading ??= this.readFigures().finally(() => (this.reading = undefined));
    try {
      const complaint = `The figures were not read within ${PATIENCE_MS} ms.`;
      return await within(this.options.clock, PATIENCE_MS, this.reading, complaint);
    } catch (error) {
      this.complaints.warn(error, 'metrics are returned without the figures of the database');
      return '';
    }
  }

  private async readFigures(): Promise<string> {
    return printSamples(await this.figures.getSamples());
  }
}

/** Yields between time slices: thousands of nodes have a hundred thousand lines. */
async function printSamples(samples: readonly Sample[]): Promise<string> {
  const registry = new Registry();
  const setters = new Map<FigureName, (sample: Sample) => void>();
  for (const sample of samples) {
    if (isTimeSliceOver()) await nextTimeSlice();
    const set = setters.get(sample.metric) ?? addMetric(registry, sample.metric);
    setters.set(sample.metric, set);
    set(sample);
  }
  let text = '';
  for (const name of setters.keys()) {
    text += `\n${await registry.getSingleMetricAsString(name)}\n`;
    await nextTimeSlice();
  }
  return text;
}

function addMetric(registry: Registry, name: FigureName): (sample: Sample) => void {
  const { help, labels } = FIGURES[name];
  const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
  return (sample) => gauge.set(sample.labels, sample.value);
}
