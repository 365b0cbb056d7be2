import { isObject, snakeCase, type WireObject } from '../node-api/wire-values.js';
import { asSpecified, missing, notSeen, otherwise, type Check } from './check.js';
import { memberAt, objectOf, type NodeAnswers } from './node-answers.js';
import { describeAnswer, judgeField, type FieldType } from './words.js';

const HEADER = 'block.header.header';
const METADATA = 'block.data.metadata';
const TRANSACTIONS = 'block.data.txs';

/** Table 2.1: the path of each field, its type, and how Hindsight uses it. */
const FIELDS: readonly (readonly [path: string, type: FieldType, use: string])[] = [
  ['block', 'object', 'read'],
  ['block.header', 'object', 'read'],
  [HEADER, 'object', 'read'],
  [`${HEADER}.version`, 'object', 'recorded, part of the hash'],
  [`${HEADER}.height`, 'integer', 'recorded'],
  [`${HEADER}.time`, 'integer', 'recorded in nanoseconds; its magnitude shows its unit'],
  [`${HEADER}.lastHeaderHash`, 'string', 'recorded, compared with the block before'],
  [`${HEADER}.dataHash`, 'string', 'recorded, computed again from the transactions'],
  [`${HEADER}.appHash`, 'string', 'recorded'],
  [`${HEADER}.proposerAddress`, 'string', 'recorded, compared with the key of the signer'],
  [`${HEADER}.validatorHash`, 'string', 'recorded, part of the hash'],
  [`${HEADER}.chainId`, 'string', 'names the chain'],
  ['block.header.signature', 'string', 'recorded, verified'],
  ['block.header.signer', 'object', 'verified'],
  ['block.header.signer.address', 'string', 'verified'],
  ['block.header.signer.pubKey', 'string', 'verified'],
  ['block.data', 'object', 'read'],
  [`${METADATA}.chainId`, 'string', 'compared with the header'],
  [`${METADATA}.height`, 'integer', 'compared with the header'],
  [`${METADATA}.time`, 'integer', 'compared with the header'],
  [`${METADATA}.lastDataHash`, 'string', 'compared with the block before'],
  ['headerDaHeight', 'integer', 'recorded: evidence of the submission of headers there'],
  ['dataDaHeight', 'integer', 'recorded: evidence of the submission of data there'],
];

const FIELD_CHECKS = FIELDS.map(([path, type, use]): Check => ({
  section: '2.1',
  row: snakeCase(path),
  use,
  judge: ({ block }) => {
    const object = objectOf(block);
    if (!object) return notSeen('no block');
    const isEmpty = type !== 'object' && memberAt(object, path) === undefined && leavesOutEmpty(object);
    return isEmpty ? notSeen('left out, as all that is empty or 0') : judgeField(object, path, type);
  },
}));

/** Sections 2.1, 4.1 and 9: the block service. */
export const BLOCK_CHECKS: readonly Check[] = [
  ...FIELD_CHECKS,
  {
    section: '2.1',
    row: TRANSACTIONS,
    use: 'counted and measured',
    judge: ({ block, filledBlock }) => {
      const object = objectOf(filledBlock) ?? objectOf(block);
      if (!object) return notSeen('no block');
      return memberAt(object, TRANSACTIONS) === undefined
        ? notSeen('no transaction in the requested blocks')
        : judgeField(object, TRANSACTIONS, 'array of string');
    },
  },
  {
    section: '4.1',
    row: 'POST /node.v1.StoreService/GetBlock',
    use: 'found under node.v1, evnode.v1 and rollkit.v1, or the prefix of the settings',
    judge: judgeService,
  },
  {
    section: '4.1',
    row: 'lookup by height',
    use: 'every block is fetched by its height',
    judge: ({ block }) =>
      objectOf(block) ? asSpecified(describeAnswer(block)) : missing(describeAnswer(block)),
  },
  {
    section: '4.1',
    row: 'lookup by hash',
    use: 'not needed: Hindsight itself finds blocks by header hash',
    judge: ({ blockByHash }) => {
      if (!blockByHash) return notSeen('no known hash');
      if (objectOf(blockByHash)) return asSpecified('by the header hash in hash');
      return otherwise(`not by the header hash: ${describeAnswer(blockByHash)}`);
    },
  },
  {
    section: '4.1',
    row: 'content type application/json',
    use: 'read under any content type',
    judge: ({ block }) => {
      if (block.kind === 'failure') return missing(describeAnswer(block));
      const isJson = /^application\/json\b/.test(block.contentType);
      return isJson ? asSpecified(block.contentType) : otherwise(block.contentType || 'none');
    },
  },
  {
    section: '9',
    row: 'v1 in the service path',
    use: 'part of the prefix',
    judge: ({ service }) => (service?.endsWith('.v1') ? asSpecified(service) : notSeen('no service found')),
  },
];

/** The Connect protocol, recognised by its camelCase names, leaves out members that are empty or 0. */
function leavesOutEmpty(object: WireObject): boolean {
  const header = memberAt(object, HEADER);
  return isObject(header) && Object.keys(header).some((name) => /[A-Z]/.test(name));
}

function judgeService({ service, block }: NodeAnswers) {
  if (service === null) return missing(describeAnswer(block));
  return asSpecified(`/${service}.StoreService/GetBlock`);
}
