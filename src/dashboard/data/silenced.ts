import { isInScope } from '../../domain/alerts/alert-scope.js';
import type { OpenIncidentsQuery } from './answers.gen.js';

type Silence = OpenIncidentsQuery['silences'][number];
interface Affected {
  readonly chain: string | null;
  readonly nodes: readonly { readonly nodeId: string }[];
}

/**
 * Until when all alerts of an incident's nodes are silenced, ISO 8601; undefined if some are not. Silences of single rules do not
 * count: other rules still report the incident.
 */
export function silencedUntil({ chain, nodes }: Affected, silences: readonly Silence[]): string | undefined {
  const ends = nodes.map(({ nodeId: node }) =>
    silences
      .filter(
        (silence) =>
          silence.rules === null &&
          isInScope(
            { nodes: silence.nodes ?? undefined, chains: silence.chains ?? undefined },
            { rule: '', node, chain },
          ),
      )
      .map(({ until }) => until)
      .toSorted()
      .at(-1),
  );
  return ends.includes(undefined) ? undefined : ends.flatMap((end) => end ?? []).toSorted()[0];
}
