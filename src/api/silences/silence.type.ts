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
  constructor(private readonly held: RecordedSilence) {}

  @id("Hindsight's own id, stable while the silence is in effect; `object` finds it by this id.")
  get id(): string {
    return rowId('Silence', this.held.id);
  }
  @texts.orNull('Patterns of rule names; null: all.')
  get rules(): readonly string[] | null {
    return this.held.scope.rules ?? null;
  }
  @texts.orNull('Patterns of node ids; null: all.')
  get nodes(): readonly string[] | null {
    return this.held.scope.nodes ?? null;
  }
  @texts.orNull('Patterns of chain ids; null: all.')
  get chains(): readonly string[] | null {
    return this.held.scope.chains ?? null;
  }
  @dateTime('When it was requested; UTC.')
  get from(): Nanos {
    return millisToNanos(this.held.from);
  }
  @dateTime('When it ends by itself; UTC.')
  get until(): Nanos {
    return millisToNanos(this.held.until);
  }
  @text("The reason, in the author's words.")
  get note(): string {
    return this.held.note;
  }
  @text('The author: the name of an API key; without a key the typed name, or `loopback`; or `command line`.')
  get by(): string {
    return this.held.by;
  }
}
