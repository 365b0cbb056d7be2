import { observeRecording } from '../support/observed-recording.js';
import { foldHistory, printHistory } from '../support/health-history.js';
it('prints', () => {
  let seed = 7; const random = () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff);
  const { startMs, events } = observeRecording(random);
  console.log(events.length);
  const { intervals, fold } = foldHistory(events);
  process.stdout.write(printHistory(intervals.DA, startMs) + '\n\n' + printHistory(intervals.NODE, startMs)+'\n'+JSON.stringify(fold).length+'\n');
});
