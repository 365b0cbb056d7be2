import { randomStory } from '../support/random-log.js';
import { twinStory } from '../support/twin-log.js';
import { seededRandom } from '../support/seeded-random.js';
it('shows', () => {
  const seed = Number(process.env['SEED']);
  const kind = process.env['KIND'] ?? 'straight';
  const random = seededRandom(seed);
  const isStraight = true, isTerse = true;
  const story = kind === 'straight' ? randomStory(random, 150, { isStraight }) : kind === 'terse' ? randomStory(random, 300, { isStraight, isTerse }) : kind === 'twins' ? twinStory(random, 90, { isStraight }) : kind === 'twins-terse' ? twinStory(random, 90, { isStraight, isTerse }) : kind === 'slow' ? randomStory(random, 120, { isStraight, pace: 300 }) : kind === 'forks' ? randomStory(random, 150) : randomStory(random, 300, { isTerse });
  const lines = story.events.slice(0, Number(process.env['UPTO'] ?? 1e9)).map((e) => {
    const b = e.body as any;
    const text = e.type === 'SubmissionsObserved' ? `first ${b.firstSequence} ` + b.rows.map((r: string) => { const x = JSON.parse(r); return `${x.status_code}|${String(x.namespace ?? '').slice(-4)}|n${x.num_blobs}|h${x.height ?? ''}|b${x.blob_size}|${x.timestamp}`; }).join('  ') : JSON.stringify(b, (_k, v) => typeof v === 'bigint' ? String(v) : v)?.slice(0, 230);
    return `${e.position} ${e.stream} ${e.type} ${e.observedAt / 1000n % 1000000n} ${text}`;
  });
  process.stdout.write(lines.join('\n') + '\n');
});
