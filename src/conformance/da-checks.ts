import { isHtml } from '../node-api/answer.js';
import { member, type WireObject } from '../node-api/wire-values.js';
import type { HttpResult } from '../platform/http-messages.js';
import { asSpecified, missing, notSeen, otherwise, type Check, type CheckFinding } from './check.js';
import { findAt, isNullAt, objectOf, rowsOf, type NodeAnswers } from './node-answers.js';
import { describeAnswer, describeValue } from './words.js';

const DISABLED_STATUS = 404;
/** Statuses of nodes with DA monitoring switched off. */
const OFF = [DISABLED_STATUS, 503];
const MOST_ROWS = 100;
const STATES = ['healthy', 'warning', 'critical'];

/** Table 2.2: the fact, the names that nodes use for it, and how Hindsight uses it. */
const ROW_FACTS: readonly (readonly [fact: string, names: readonly string[], use: string])[] = [
  ['timestamp', ['timestamp', 'time'], 'recorded with all digits'],
  ['blob ID', ['blobIds', 'blobId'], 'recorded; its first eight bytes are the DA height'],
  ['number of blobs', ['numBlobs', 'blobCount', 'blobs'], 'recorded'],
  ['status', ['statusCode', 'status'], 'recorded word for word'],
  ['gas price', ['gasPrice'], 'recorded; 0 and below count as unknown'],
  ['error message', ['message', 'error', 'errorMessage'], 'recorded; Hindsight finds the cause and a remedy'],
];

/** Section 2.4: the contents of the statistics, and the names that nodes use for them. */
const STATISTICS: readonly (readonly [content: string, names: readonly string[]])[] = [
  ['total submissions', ['totalSubmissions']],
  ['success rate', ['successRate', 'successCount']],
  ['failure rate', ['failureRate', 'errorRate', 'errorCount']],
  ['average gas price', ['avgGasPrice', 'averageGasPrice']],
  ['total gas spent', ['totalGasSpent', 'totalGas', 'history.totalGasSpent']],
  ['average blob size', ['avgBlobSize', 'averageBlobSize']],
  ['trends by hour and day', ['trends', 'hourly', 'daily', 'history']],
  [
    'average submission time',
    ['avgSubmissionTime', 'averageSubmissionTime', 'avgSubmissionTimeMs', 'history.avgSubmissionTimeMs'],
  ],
  ['total blobs', ['totalBlobs', 'history.totalBlobs']],
];

/** Section 2.5: the contents of the health record, and where nodes send them. */
const HEALTH: readonly (readonly [content: string, paths: readonly string[]])[] = [
  ['connection status', ['connectionStatus', 'connection.status']],
  ['recent error rate', ['metrics.recentErrorRate', 'recentErrorRate', 'errorRate']],
  ['performance metrics', ['metrics', 'performance']],
  ['last successful submission', ['metrics.lastSuccessTime', 'lastSuccessTime', 'lastSuccess']],
];

const ENDPOINTS: readonly (readonly [path: string, answer: keyof NodeAnswers, use: string])[] = [
  ['/da/submissions', 'submissions', 'polled every 0.5 to 2 s: the main source of the record'],
  ['/da/stats', 'stats', 'recorded as a claim of the node'],
  ['/da/health', 'health', 'recorded as a claim of the node, next to what Hindsight concludes'],
];

/** Sections 2.2 to 2.5, 3.1, 3.3, 4.4, 7.1 and 8: DA monitoring. */
export const DA_CHECKS: readonly Check[] = [
  ...ROW_FACTS.map(rowCheck),
  {
    section: '2.3',
    row: 'blob detail record',
    use: 'not recorded: contents come from the DA layer',
    judge: ({ blob }) => {
      if (!blob) return notSeen('no submission with a blob in the list');
      const object = objectOf(blob);
      return object ? asSpecified(Object.keys(object).join(', ')) : missing(describeAnswer(blob));
    },
  },
  ...STATISTICS.map(([content, names]): Check => ({
    section: '2.4',
    row: content,
    use: 'recorded as a claim; Hindsight computes its own from the record',
    instead: 'computed from the record',
    judge: ({ stats }) => ofAggregator(stats, (object) => judgeAnyOf(object, names)),
  })),
  {
    section: '2.5',
    row: 'status',
    use: 'recorded as the claim, and compared with what Hindsight concludes',
    instead: 'what Hindsight concludes',
    judge: ({ health }) => ofAggregator(health, judgeStatus),
  },
  ...HEALTH.map(([content, paths]): Check => ({
    section: '2.5',
    row: content,
    use: 'recorded as a claim',
    instead: 'what Hindsight concludes',
    judge: ({ health }) => ofAggregator(health, (object) => judgeAnyOf(object, paths)),
  })),
  {
    section: '3.1',
    row: 'healthy, warning or critical',
    use: 'other words are read as the real node uses them',
    judge: ({ health }) =>
      ofAggregator(health, (object) => {
        const status = member(object, 'status');
        if (typeof status !== 'string') return missing('no status');
        return STATES.includes(status.toLowerCase()) ? asSpecified(status) : otherwise(status);
      }),
  },
  {
    section: '3.3',
    row: '404 while DA monitoring is off',
    use: 'availability DISABLED, whether by 404 or 503',
    judge: judgeDisabled,
  },
  {
    section: '4.4',
    row: 'GET /da',
    use: 'not polled: it is a page for people',
    judge: ({ daPage }) => {
      if (isOff(daPage)) return notSeen('DA monitoring is off');
      const isPage = daPage.kind === 'response' && daPage.status === 200 && isHtml(daPage.body);
      return (isPage ? asSpecified : missing)(describeAnswer(daPage));
    },
  },
  ...ENDPOINTS.map(([path, answer, use]): Check => ({
    section: '4.4',
    row: `GET ${path}`,
    use,
    judge: (answers) => ofRecord(answers[answer] as HttpResult, () => asSpecified('200, application/json')),
  })),
  {
    section: '4.4',
    row: 'GET /da/blob?id=',
    use: 'not recorded',
    judge: ({ blob }) => {
      if (!blob) return notSeen('no submission with a blob in the list');
      return objectOf(blob) ? asSpecified('by the blob id of the list') : otherwise(describeAnswer(blob));
    },
  },
  {
    section: '7.1',
    row: 'empty answer before the first submission',
    use: 'an empty list, an empty body and 204 are no rows',
    judge: ({ submissions }) => {
      const rows = rowsOf(submissions);
      if (rows && rows.length > 0) return notSeen(`${rows.length} submissions in the list`);
      if (submissions.kind === 'failure' || submissions.status >= 400)
        return notSeen(describeAnswer(submissions));
      return asSpecified(rows ? 'an empty list' : describeAnswer(submissions));
    },
  },
  {
    section: '8',
    row: 'at most 100 submissions',
    use: 'the length of the list is learned from rows that leave it',
    judge: ({ submissions }) => {
      const rows = rowsOf(submissions);
      if (!rows) return notSeen('no list');
      return (rows.length <= MOST_ROWS ? asSpecified : otherwise)(`${rows.length}`);
    },
  },
];

function rowCheck([fact, names, use]: (typeof ROW_FACTS)[number]): Check {
  return {
    section: '2.2',
    row: fact,
    use,
    judge: ({ submissions }) => {
      const rows = rowsOf(submissions) ?? [];
      if (rows.length === 0) return notSeen('no submission in the list');
      for (const row of rows) {
        for (const name of names) {
          const found = findAt(row, name);
          if (found && found.value !== '')
            return asSpecified(`${found.spelled}: ${describeValue(found.value)}`);
        }
      }
      if (fact === 'error message') return notSeen('no failure in the list');
      if (fact === 'blob ID' && rows.every(isFailure)) return notSeen('no success in the list');
      return missing('in no row');
    },
  };
}

/** A failed attempt has no blobs on the DA layer. */
function isFailure(row: WireObject): boolean {
  const status = findAt(row, 'statusCode')?.value ?? findAt(row, 'status')?.value;
  return typeof status === 'string' && status.toLowerCase() !== 'success';
}

function ofRecord(result: HttpResult, judge: (object: WireObject) => CheckFinding): CheckFinding {
  if (isOff(result)) return notSeen('DA monitoring is off');
  const object = objectOf(result);
  if (object) return judge(object);
  const isEmpty = result.kind === 'response' && result.status < 300 && result.body.length === 0;
  return isEmpty ? notSeen('empty: no submission yet') : missing(describeAnswer(result));
}

/** A node that submits nothing reports that, and has no data to judge. */
function ofAggregator(result: HttpResult, judge: (object: WireObject) => CheckFinding): CheckFinding {
  return ofRecord(result, (object) =>
    member(object, 'isAggregator') === false ? notSeen('it is not an aggregator') : judge(object),
  );
}

function judgeAnyOf(object: WireObject, paths: readonly string[]): CheckFinding {
  for (const path of paths) {
    const found = findAt(object, path);
    if (found) return asSpecified(`${found.spelled}: ${describeValue(found.value)}`);
  }
  const [none] = paths.filter((path) => isNullAt(object, path));
  return none === undefined ? missing('not in the record') : notSeen(`${none}: null, so no value now`);
}

function judgeStatus(object: WireObject): CheckFinding {
  const status = member(object, 'status');
  return typeof status === 'string' ? asSpecified(status) : missing('no status');
}

function judgeDisabled({ submissions }: NodeAnswers): CheckFinding {
  if (!isOff(submissions)) return notSeen('DA monitoring is on');
  return (submissions.status === DISABLED_STATUS ? asSpecified : otherwise)(describeAnswer(submissions));
}

function isOff(result: HttpResult): result is HttpResult & { kind: 'response' } {
  return result.kind === 'response' && OFF.includes(result.status);
}
