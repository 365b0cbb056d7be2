import { toPrintable } from '../../domain/printable-text.js';
import type { FeedQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { bytes, count, inWords, moment, shortNamespace, sentence } from '../data/words.js';
import { Exactly } from './exactly.js';
import { IntervalLink } from './interval-link.js';
import { StatusBadge } from './submission-words.js';

/** Limit in a table: the page of the submission has the whole message. */
const LONGEST_MESSAGE = 300;

export function submissionCells(row: FeedQuery['submissions']['nodes'][number], zone: string) {
  return [
    <a href={linkTo(['submission', row.id])}>{moment(row.time, zone)}</a>,
    <bdi>{row.nodeId ?? 'the chain'}</bdi>,
    <StatusBadge status={row.status} />,
    inWords(row.kind),
    inWords(row.evidence),
    row.daHeight ?? 'none',
    count(row.blobCount),
    row.namespace === null ? (
      'not known'
    ) : (
      <code>
        <Exactly short={shortNamespace(row.namespace)} exact={toPrintable(row.namespace, 100)} />
      </code>
    ),
    <span title={row.sizeBytesFloat === null ? undefined : `${row.sizeBytesFloat} bytes`}>
      {bytes(row.sizeBytesFloat)}
    </span>,
    row.cause === null ? (
      ''
    ) : (
      <bdi title={row.cause.remedy}>
        {row.cause.title}
        {row.message !== null && ` ${toPrintable(row.message, LONGEST_MESSAGE)}`}
      </bdi>
    ),
  ];
}

export function lossCells(loss: FeedQuery['losses']['nodes'][number], zone: string) {
  const most =
    loss.maxLost === null ? ' or more' : loss.maxLost === loss.minLost ? '' : ` to ${loss.maxLost}`;
  return [
    loss.from === null ? (
      'before the start'
    ) : (
      <IntervalLink node={loss.nodeId} from={loss.from} to={loss.to} zone={zone} />
    ),
    loss.open ? 'open' : moment(loss.to, zone),
    <bdi>{loss.nodeId}</bdi>,
    inWords(loss.kind),
    `${loss.minLost}${most}${loss.likelyLost === null ? '' : `, likely ${loss.likelyLost}`}`,
    sentence(loss.explanation, zone),
  ];
}
