import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { useEffect, useRef, useState } from 'preact/hooks';

const MOST_FOUND = 100;

interface Open {
  readonly type: string;
  readonly field?: string | undefined;
}

/** Explains a type of the schema, with links to the types of its fields. Opens with the queries. */
export function SchemaPanel({
  schema,
  open,
  onOpen,
}: {
  readonly schema: GraphQLSchema;
  readonly open: Open;
  readonly onOpen: (type: string) => void;
}) {
  const [searched, search] = useState('');
  const place = useRef<HTMLElement>(null);
  // On a phone the panel is below the answer.
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), []);
  const type = schema.getType(open.type);
  return (
    <section class="schema" aria-label="Schema" ref={place}>
      <input
        type="search"
        aria-label="Search the schema"
        placeholder="Search types and fields"
        value={searched}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <nav>
        {[schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].map(
          (root) => root && <TypeLink key={root.name} name={root.name} onOpen={onOpen} />,
        )}
      </nav>
      {searched.trim() === '' ? (
        type && <TypeText type={type} field={open.field} onOpen={onOpen} />
      ) : (
        <Found
          schema={schema}
          text={searched.trim()}
          onOpen={(name) => {
            search('');
            onOpen(name);
          }}
        />
      )}
    </section>
  );
}

function Found({
  schema,
  text,
  onOpen,
}: {
  readonly schema: GraphQLSchema;
  readonly text: string;
  readonly onOpen: (type: string) => void;
}) {
  const found = findPlaces(schema, text);
  if (found.length === 0) return <p class="quiet">No type or field has this name.</p>;
  return (
    <ul>
      {found.map(({ type, field }) => (
        <li key={`${type}.${field ?? ''}`}>
          <TypeLink name={type} onOpen={onOpen} />
          {field !== undefined && <code>.{field}</code>}
        </li>
      ))}
    </ul>
  );
}

function findPlaces(schema: GraphQLSchema, text: string): Open[] {
  const wanted = text.toLowerCase();
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const named = types.filter(({ name }) => name.toLowerCase().includes(wanted));
  const fields = types.flatMap((type) =>
    fieldsOf(type)
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ name }) => ({ type: type.name, field: name })),
  );
  return [...named.map(({ name }) => ({ type: name })), ...fields].slice(0, MOST_FOUND);
}

function TypeText({
  type,
  field,
  onOpen,
}: {
  readonly type: GraphQLNamedType;
  readonly field: string | undefined;
  readonly onOpen: (type: string) => void;
}) {
  return (
    <>
      <h2>{type.name}</h2>
      {type.description && <p>{type.description}</p>}
      {isEnumType(type) && (
        <dl>
          {type
            .getValues()
            .map(({ name, description }) => [<dt key={name}>{name}</dt>, <dd>{description}</dd>])}
        </dl>
      )}
      {fieldsOf(type).map((one) => (
        <div class={one.name === field ? 'field named' : 'field'} key={one.name}>
          <code>
            {one.name}
            <Arguments of={one} onOpen={onOpen} />: <TypeName of={one} onOpen={onOpen} />
          </code>
          {one.description && <p class="quiet">{one.description}</p>}
          <ArgumentTexts of={one} />
          {one.deprecationReason && <p class="quiet">Deprecated: {one.deprecationReason}</p>}
        </div>
      ))}
    </>
  );
}

type AnyField = GraphQLField<unknown, unknown> | GraphQLInputField;

function fieldsOf(type: GraphQLNamedType): AnyField[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? Object.values<AnyField>(type.getFields())
    : [];
}

function Arguments({ of, onOpen }: { readonly of: AnyField; readonly onOpen: (type: string) => void }) {
  if (!('args' in of) || of.args.length === 0) return null;
  return (
    <>
      (
      {of.args.map((argument, index) => (
        <span key={argument.name}>
          {index > 0 && ', '}
          {argument.name}: <TypeName of={argument} onOpen={onOpen} />
        </span>
      ))}
      )
    </>
  );
}

function ArgumentTexts({ of }: { readonly of: AnyField }) {
  const described = 'args' in of ? of.args.filter(({ description }) => description) : [];
  if (described.length === 0) return null;
  return (
    <dl>
      {described.map(({ name, description }) => [
        <dt key={name}>
          <code>{name}</code>
        </dt>,
        <dd class="quiet">{description}</dd>,
      ])}
    </dl>
  );
}

function TypeName({
  of: { type },
  onOpen,
}: {
  readonly of: Pick<GraphQLInputField, 'type'> | Pick<GraphQLField<unknown, unknown>, 'type'>;
  readonly onOpen: (type: string) => void;
}) {
  const { name } = getNamedType(type);
  const [before = '', after = ''] = String(type).split(name);
  return (
    <>
      {before}
      <TypeLink name={name} onOpen={onOpen} />
      {after}
    </>
  );
}

function TypeLink({ name, onOpen }: { readonly name: string; readonly onOpen: (type: string) => void }) {
  return (
    <button type="button" class="type" onClick={() => onOpen(name)}>
      {name}
    </button>
  );
}
