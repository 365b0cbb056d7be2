import { InputType, ObjectType } from '@nestjs/graphql';
import type { RecordedSilence } from '../../domain/alerts/alert-ledger.js';
import { millisToNanos, type Nanos } from '../../domain/time.js';
import { dateTime, id, text, texts } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';
import { rowId } from '../objects/row-id.js';

const PATTERNS = '`*` matches any characters, `?` matches one. All if left out.';

@InputType({
  description: 'The alerts to silence. All conditions must hold; an empty list matches nothing.',
})
export class SilenceMatcher {
  @texts.orNull(`Patterns of rule names. ${PATTERNS}`) rules?: string[] | null;
  @texts.orNull(`Patterns of node ids. ${PATTERNS}`) nodes?: string[] | null;
  @texts.orNull(`Patterns of chain ids. ${PATTERNS}`) chains?: string[] | null;
}

@ObjectType({
  implements: () => [HasId],
  description: 'A period in which no alert is sent that begins in it and matches.',
})
export class Silence {
  @id("Hindsight's own id, stable while the silence is in effect; `object` finds it by this id.")
  readonly id: string;
  @texts.orNull('Patterns of rule names; null: all.') readonly rules: readonly string[] | null;
  @texts.orNull('Patterns of node ids; null: all.') readonly nodes: readonly string[] | null;
  @texts.orNull('Patterns of chain ids; null: all.') readonly chains: readonly string[] | null;
  @dateTime('When it was requested; UTC.') readonly from: Nanos;
  @dateTime('When it ends by itself; UTC.') readonly until: Nanos;
  @text("The reason, in the author's words.") readonly note: string;
  @text('The author: the name of an API key; without a key the typed name, or `loopback`; or `command line`.')
  readonly by: string;
}

export function toSilence({ id, scope, from, until, note, by }: RecordedSilence): Silence {
  const { rules = null, nodes = null, chains = null } = scope;
  const period = { from: millisToNanos(from), until: millisToNanos(until) };
  return { id: rowId('Silence', id), rules, nodes, chains, ...period, note, by };
}
