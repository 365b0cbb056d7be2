/** A line of a Prometheus scrape. */
export interface PrometheusSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*",?)*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** The samples of a text; throws at a line that is not a sample. */
export function samplesOf(text: string): PrometheusSample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = LINE.exec(line) ?? [];
      if (name === undefined) throw new Error(`this is no sample: ${JSON.stringify(line)}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, label = '', quoted = '']) => [
        label,
        quoted.replace(/\\["\\n]/g, (escape) => ESCAPES[escape] ?? escape),
      ]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });
}

/** The value of the only sample with at least these labels; undefined without such a sample. */
export function valueOf(
  samples: readonly PrometheusSample[],
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} have these labels`);
  return found[0]?.value;
}
