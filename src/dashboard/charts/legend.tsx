import { IN_PART, isInPart, timeOfBucket, type ChartProps } from './chart-props.js';

/** The names of a chart's lines with their colours and values: the newest ones, or those under the pointer. */
export function Legend(props: ChartProps) {
  const { index, texts } = textsAt(props, undefined);
  return (
    <ul class="legend">
      <li class="quiet" data-value="time">
        {timeOfBucket(props.times[index], props.zone)}
      </li>
      {props.lines.map(({ label, colour }, line) => (
        <li key={label}>
          <i style={{ background: `var(${colour})` }} />
          {label} <b data-value={line}>{texts[line]}</b>
        </li>
      ))}
    </ul>
  );
}

/** Writes the values of a bucket straight into a card's legend: a render for each move of the pointer would be slow. */
export function legendWriter(
  card: HTMLElement,
  props: ChartProps,
): (index: number | null | undefined) => void {
  const places = [...card.querySelectorAll<HTMLElement>('[data-value]')];
  return (pointed) => {
    const { index, texts } = textsAt(props, pointed);
    for (const place of places) {
      const line = place.dataset['value'];
      place.textContent =
        line === 'time' ? timeOfBucket(props.times[index], props.zone) : (texts[Number(line)] ?? '');
    }
  };
}

/** The texts of all lines at a bucket; when none is pointed at, at the newest bucket with a figure, which no dashed line is. */
function textsAt(props: ChartProps, pointed: number | null | undefined) {
  const { lines, format } = props;
  const figures = lines.filter(({ dashed }) => !dashed);
  const newest = Math.max(...figures.map(({ values }) => values.findLastIndex((value) => value !== null)), 0);
  const index = pointed ?? newest;
  const isPart = isInPart(props)(index);
  const texts = lines.map(({ values, shown = values }) => {
    const value = shown[index] ?? null;
    return value === null ? 'unknown' : `${format(value)}${isPart ? IN_PART : ''}`;
  });
  return { index, texts };
}
