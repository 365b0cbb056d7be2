import { Compass } from 'lucide';
import { hasKey } from '../data/ask.js';
import { toCurl, withValues } from '../data/question-text.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';

/** Copies what a page shows: as a command, as the query, and as the answer. */
export function CopyAs(given: {
  readonly question: string;
  readonly variables: object;
  /** Left out where a file has it. */
  readonly answer?: object;
}) {
  const { question, variables, answer } = given;
  const query = withValues(question, variables);
  return (
    <>
      <CopyButton name="Copy as curl" text={() => toCurl(location.origin, question, variables, hasKey())} />
      <CopyButton name="Copy as GraphQL" text={() => query} />
      {answer && <CopyButton name="Copy as JSON" text={() => JSON.stringify(answer, null, 2)} />}
      <a class="button" href={`/ide?query=${encodeURIComponent(query)}`}>
        <Icon of={Compass} />
        Open in Explore
      </a>
    </>
  );
}
