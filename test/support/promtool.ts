import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { toPrometheusRules } from './prometheus-rules.js';

const run = promisify(execFile);

export type Labels = Readonly<Record<string, string>>;

/** A test of promtool: the scraped series and the expected alerts. */
export interface PromtoolTest {
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test?: readonly object[];
  readonly promql_expr_test?: readonly object[];
}

/** A series by its name and labels, as Prometheus writes it. */
export function seriesOf(name: string, labels: Labels): string {
  const list = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${list.join(', ')}}`;
}

/** An alert of Hindsight as promtool expects it, with the texts of its rule. */
export function alertOf(name: string, labels: Labels): object {
  const rule = toPrometheusRules()
    .groups.flatMap(({ rules }) => rules)
    .find(({ alert }) => alert === name);
  const fill = (text: string): string =>
    text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');
  return {
    exp_labels: { ...labels, ...rule?.labels },
    exp_annotations: Object.fromEntries(
      Object.entries(rule?.annotations ?? {}).map(([key, text]) => [key, fill(text)]),
    ),
  };
}

/** Runs tests of the shipped alert rules; returns promtool's output on failure, or else an empty text. */
export async function runPromtool(tests: readonly PromtoolTest[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  try {
    const file = join(folder, 'rules.yml');
    const plan = { rule_files: [resolve('packaging/prometheus/alerts.yml')], tests };
    writeFileSync(file, JSON.stringify(plan));
    await run('promtool', ['test', 'rules', file]);
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
