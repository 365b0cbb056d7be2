import { foldHistory } from '../support/health-history.js';
import { observeRecording } from '../support/observed-recording.js';
import { describeRecordedHealth } from '../support/recorded-health.js';
import { seededRandom } from '../support/seeded-random.js';

const RUNS = 40;

describe('the health of the recorded node, polled in many random phases', () => {
  const runs = Array.from({ length: RUNS }, (_, index) => {
    const { startMs, events } = observeRecording(seededRandom(index + 1));
    return { name: `seed ${index + 1}`, startMs, ...foldHistory(events).intervals };
  });

  describeRecordedHealth(() => runs);
});
