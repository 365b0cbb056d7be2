import { InputType, ObjectType } from '@nestjs/graphql';
import type { Silence as HeldSilence } from '../../domain/alerts/alert-ledger.js';
import { millisToNanos, type Nanos } from '../../domain/time.js';
import { dateTime, id, text, texts } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';
import { rowId } from '../objects/row-id.js';

const PATTERNS = '`*` stands for any characters, `?` for one. All when left out.';

@InputType({
  description:
    'What nobody is to be told of. All conditions must hold; a list that is given and empty matches nothing.',
})
export class SilenceMatcher {
  @texts.orNull(`Patterns of names of rules. ${PATTERNS}`) rules?: string[] | null;
  @texts.orNull(`Patterns of ids of nodes. ${PATTERNS}`) nodes?: string[] | null;
  @texts.orNull(`Patterns of ids of chains. ${PATTERNS}`) chains?: string[] | null;
}

@ObjectType({
  implements: () => [HasId],
  description: 'A time in which people are told of no alert that begins and matches.',
})
export class Silence {
  constructor(private readonly held: HeldSilence) {}

  @id('Ours, and stable while it holds; `object` finds it by it.')
  get id(): string {
    return rowId('Silence', this.held.id);
  }
  @texts.orNull('Patterns of names of rules; null: all.')
  get rules(): readonly string[] | null {
    return this.held.scope.rules ?? null;
  }
  @texts.orNull('Patterns of ids of nodes; null: all.')
  get nodes(): readonly string[] | null {
    return this.held.scope.nodes ?? null;
  }
  @texts.orNull('Patterns of ids of chains; null: all.')
  get chains(): readonly string[] | null {
    return this.held.scope.chains ?? null;
  }
  @dateTime('When it was asked for; UTC.')
  get from(): Nanos {
    return millisToNanos(this.held.from);
  }
  @dateTime('When it ends by itself; UTC.')
  get until(): Nanos {
    return millisToNanos(this.held.until);
  }
  @text('Why, in the words of who asked for it.')
  get note(): string {
    return this.held.note;
  }
  @text('Who asked for it: the name of an API key, `loopback` without one, `command line`.')
  get by(): string {
    return this.held.by;
  }
}
