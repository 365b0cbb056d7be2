import { toPrintable } from '../../domain/printable-text.js';
import type { ServiceQuery } from '../data/answers.gen.js';
import { bytes, count, timeSpan } from '../data/words.js';
import { FileLink } from '../parts/file-link.js';

const NO_QUERY = new URLSearchParams();
/** From this lag on, a page reports it at the top. */
const REPORTED_FROM_S = 60;
/** More days of disk space than anybody plans for. */
const MOST_DAYS = 3_650;

type Service = ServiceQuery['service'];

/** Says that the page does not show everything that was seen, for example after an upgrade while read models are rebuilt. */
export function Behind({ service }: { readonly service: Service }) {
  const late = (seconds: number | null): string | undefined =>
    seconds !== null && seconds >= REPORTED_FROM_S ? timeSpan(seconds * 1_000) : undefined;
  const record = late(service.behindSeconds);
  const figures = late(service.statisticsBehindSeconds);
  if (record === undefined && figures === undefined) return null;
  return (
    <p class="notice WARNING" role="status">
      Some recorded events are not shown yet.
      {record !== undefined && ` Nodes, rows and health are ${record} behind the log.`}
      {figures !== undefined && ` Figures and charts are ${figures} behind.`}
    </p>
  );
}

/** Hindsight's own state: its release, the lag of its read models, and its disk. */
export function ServiceFooter({
  answer,
  isLost,
}: {
  readonly answer: ServiceQuery | undefined;
  readonly isLost: boolean;
}) {
  const version = document.querySelector('meta[name=version]')?.getAttribute('content');
  return (
    <footer class="quiet">
      <span>Hindsight {version}</span>
      <a href="/docs">REST and files</a>
      {/* Every client of the API may read metrics, with the key of the session if one is needed. */}
      {answer && (
        <FileLink path="/metrics" query={NO_QUERY}>
          Metrics
        </FileLink>
      )}
      {isLost && <span>Lag and disk: unknown</span>}
      {answer && !isLost && <Words service={answer.service} />}
    </footer>
  );
}

function Words({ service }: { readonly service: Service }) {
  const { ready, reason, degraded, behindSeconds, statisticsBehindSeconds } = service;
  const { logBytesFloat, readModelBytesFloat, freeBytesFloat, daysLeft } = service;
  const behind = (value: number | null): string =>
    value === null ? 'unknown' : value === 0 ? 'none' : timeSpan(value * 1_000);
  return (
    <>
      <span>
        Behind the log: {behind(behindSeconds)}; statistics: {behind(statisticsBehindSeconds)}
      </span>
      <span>
        Disk: log {bytes(logBytesFloat)}, computed {bytes(readModelBytesFloat)}, free {bytes(freeBytesFloat)}
        {daysLeft !== null &&
          (daysLeft > MOST_DAYS ? ', for more than 10 years' : `, for ${count(Math.floor(daysLeft))} days`)}
      </span>
      {!ready && <strong>Not ready: {toPrintable(reason ?? 'unknown', 300)}</strong>}
      {degraded.map((sentence) => (
        <span key={sentence}>{toPrintable(sentence, 300)}</span>
      ))}
    </>
  );
}
