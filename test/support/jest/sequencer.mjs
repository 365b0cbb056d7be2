/** Spec files that mostly wait: for processes to start and end, for clocks, for operations to be given up. Longest first. */
const WAITING = `
  integration/embedded-postgres e2e/jobs e2e/command-line integration/queues e2e/log-lines
  conformance/hindsight e2e/last-words e2e/scenario-file e2e/upgrade e2e/clock-steps integration/export-streams
  e2e/terse-nodes integration/database-settings e2e/hostile-addresses e2e/alerts-killed`;

/** Spec files that keep a core busy for long. */
const BUSY = `
  e2e/demo e2e/dashboard-states e2e/dashboard e2e/kill integration/rebuild-sets e2e/dashboard-journey
  integration/record-turns e2e/export-command integration/large-rows integration/oracle
  integration/graphql-columns e2e/report-command integration/incident-pasts
  e2e/standby e2e/readers e2e/keys-command integration/graphql-window`;

const FIRST = { waiting: namesOf(WAITING), busy: namesOf(BUSY) };

/** The last fifth of the short files fills the gaps that long files leave. */
const SHARE_OF_LAST = 0.2;

/**
 * Orders the files so that at any time a waiting file runs next to computing files, and no long file comes last. A file missing
 * from the lists only costs time.
 */
export default class Dealt {
  sort(tests) {
    const [waiting, busy] = [FIRST.waiting, FIRST.busy].map((names) =>
      names.flatMap((name) => tests.filter(({ path }) => path.endsWith(`/test/${name}.spec.ts`))),
    );
    const long = new Set([...waiting, ...busy]);
    // Specs that start services take longer than specs next to the sources.
    const short = tests
      .filter((test) => !long.has(test))
      .sort((a, b) => folderOf(a) - folderOf(b) || (a.path < b.path ? -1 : 1));
    const dealt = [];
    const rounds = Math.max(waiting.length, busy.length, 1);
    const most = Math.floor(((1 - SHARE_OF_LAST) * short.length) / rounds);
    for (let round = 0; round < rounds; round += 1) {
      dealt.push(...waiting.slice(round, round + 1), ...busy.slice(round, round + 1));
      dealt.push(...short.splice(0, most));
    }
    return [...dealt, ...short];
  }

  allFailedTests(tests) {
    return tests;
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, index) => index % shardCount === shardIndex - 1);
  }

  cacheResults() {}
}

function namesOf(text) {
  return text.trim().split(/\s+/);
}

function folderOf({ path }) {
  return ['/test/e2e/', '/test/', '/src/'].findIndex((folder) => path.includes(folder));
}
