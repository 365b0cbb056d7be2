import Sequencer from '@jest/test-sequencer';

/** Specs that take longest, by a part of their path. A run that began others first would end with one of these alone on a worker. */
const LONGEST = [
  'e2e/demo.spec',
  'e2e/dashboard-states',
  'e2e/dashboard.spec',
  'e2e/kill',
  'e2e/dashboard-live',
  'e2e/log-lines',
  'e2e/hostile-addresses',
  'e2e/year',
  'integration/oracle.spec',
  'e2e/export-command',
  'integration/live.spec',
];

/** Begins with the longest specs, and orders the others as Jest does: those that failed, then by their last durations, or their sizes. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const placeOf = ({ path }) => {
      const place = LONGEST.findIndex((part) => path.includes(part));
      return place < 0 ? LONGEST.length : place;
    };
    return super.sort(tests).sort((a, b) => placeOf(a) - placeOf(b));
  }
}
