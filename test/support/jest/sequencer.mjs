/**
 * The spec files that take the longest, most of it by waiting; in the end one worker would be at them alone. Where one is missing
 * here, nothing but time is lost.
 */
const LONGEST = `
  e2e/demo integration/queues e2e/kill integration/embedded-postgres conformance/hindsight e2e/jobs e2e/export-command
  integration/record-turns integration/statistics-clock e2e/last-words integration/rebuild-sets e2e/readiness
  integration/oracle e2e/command-line e2e/log-lines e2e/report-command e2e/alerts-killed integration/large-rows
  e2e/dashboard e2e/terse-nodes integration/journeys e2e/upgrade integration/graphql-events`
  .trim()
  .split(/\s+/);

/** Begins with the longest, then what starts services, which waits as well; the many short ones come last, and fill what is left. */
export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
  }

  allFailedTests(tests) {
    return tests;
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, index) => index % shardCount === shardIndex - 1);
  }

  cacheResults() {}
}

function rankOf({ path }) {
  const rank = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.spec.ts`));
  if (rank >= 0) return rank;
  const folders = ['/test/e2e/', '/test/', '/src/'];
  return LONGEST.length + folders.findIndex((folder) => path.includes(folder));
}
