import { DA_RULES } from './health-da.js';
import { NODE_RULES } from './health-node.js';
import { troubleWords } from './trouble-words.js';
import { findCause } from '../submissions/failure-cause.js';

describe('the words for trouble', () => {
  it.each([
    ['DA', DA_RULES],
    ['NODE', NODE_RULES],
  ] as const)(
    'are there for each rule of %s that says that something is the matter, and no other',
    (component, rules) => {
      for (const { name, state } of rules) {
        const isTrouble = state === 'WARNING' || state === 'CRITICAL';
        expect([name, troubleWords(component, name) !== undefined]).toEqual([name, isTrouble]);
      }
    },
  );

  // Section 7.2 and 7.3 of the specification of the node's interface: what it names, by what the node shows of it.
  it.each([
    ['DA endpoint unreachable', 'connection refused', ['answers', 'authentication token', 'fully synced']],
    ['out of funds', 'codespace sdk, Code 19', ['Fund the DA account', 'node.da.gas_price']],
  ])('have the remedy of the specification for a logged failure: %s', (_, message, remedies) => {
    const remedy = findCause('ERROR', `DA layer submission failed with error ${message}`)?.remedy ?? '';
    expect(remedies.filter((each) => !remedy.includes(each))).toEqual([]);
  });

  it.each([
    ['no peers connected or not syncing', 'head-still', ['peers', 'wrong address', 'port that is blocked']],
    ['catching up with slowly increasing height', 'catching-up', ['grows slowly', 'peers']],
    ['state root mismatch or execution errors', 'head-still', ['state root', 'execution layer']],
    [
      'the node exiting at once',
      'unreachable',
      ['port in use', 'syntax of its configuration', 'data directory'],
    ],
  ])('have the causes of the specification for a symptom: %s', (_, rule, causes) => {
    const remedy = troubleWords('NODE', rule)?.remedy ?? '';
    expect(causes.filter((each) => !remedy.includes(each))).toEqual([]);
  });
});
