import type { ActivityQuery } from '../data/answers.gen.js';
import { count } from '../data/words.js';

const [WIDTH, HEIGHT] = [120, 28];

/** Attempts of a node by hour, failures among them in red. An hour of which nothing is known has no mark. */
export function Sparkline({
  name,
  hours,
}: {
  readonly name: string;
  readonly hours: ActivityQuery['statistics'];
}) {
  const most = Math.max(1, ...hours.map(({ attemptsFloat }) => attemptsFloat ?? 0));
  const step = WIDTH / Math.max(24, hours.length);
  const sum = (pick: (hour: (typeof hours)[number]) => number | null): number =>
    hours.reduce((total, hour) => total + (pick(hour) ?? 0), 0);
  const isKnown = hours.some(({ attemptsFloat }) => attemptsFloat !== null);
  if (!isKnown) return <span class="quiet">unknown</span>;
  const words = `${name}: ${count(sum((hour) => hour.attemptsFloat))} attempts in 24 h, ${count(sum((hour) => hour.failuresFloat))} failed`;
  const bar = (value: number | null, index: number, kind: string) => {
    const height = value ? Math.max(1.5, (HEIGHT * value) / most) : 0;
    return height === 0 ? null : (
      <rect
        key={`${kind}${index}`}
        class={kind}
        x={index * step}
        y={HEIGHT - height}
        width={step - 1}
        height={height}
      />
    );
  };
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
      <title>{words}</title>
      {hours.map(({ attemptsFloat }, index) => bar(attemptsFloat, index, 'PLAIN'))}
      {hours.map(({ failuresFloat }, index) => bar(failuresFloat, index, 'CRITICAL'))}
    </svg>
  );
}
