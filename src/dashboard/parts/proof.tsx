import { quoteForShell } from '../../domain/printable-text.js';
import type { PostMortemQuery } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import POST_MORTEM from '../data/post-mortem.graphql?raw';
import { isPast, type View } from '../data/view.js';
import { Card } from './card.js';
import { CopyButton } from './copy-button.js';

const PATIENCE_MS = 60_000;

/** The post-mortem of an incident, and the command that collects its evidence. */
export function Proof(given: { readonly incident: { readonly id: string }; readonly view: View }) {
  const { incident, view } = given;
  const postMortem = async (): Promise<string> => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await ask<PostMortemQuery>(POST_MORTEM, { id: incident.id }, signal);
    return answer.postMortem ?? '';
  };
  const evidence = `hindsight evidence --incident ${quoteForShell(incident.id)} --out evidence`;
  return (
    <Card title="Post-mortem and evidence">
      {!isPast(view) && (
        <p class="list">
          <CopyButton name="Copy the post-mortem as Markdown" text={postMortem} />
        </p>
      )}
      <p class="list">
        <CopyButton name="Copy the command for evidence" text={() => evidence} />
      </p>
      <p class="quiet">Evidence is a folder with the recorded events and a program that verifies them.</p>
    </Card>
  );
}
