import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

type SelectedField = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;
export type Selected = ReadonlySet<string> | 'ALL';

/**
 * Names of the fields that a query selects on a resolver's result, including through fragments. Includes fields that a directive
 * skips: reading too much does no harm.
 */
export function selectedFields({ fieldNodes, fragments }: SelectedField): ReadonlySet<string> {
  return namesOf(fieldsOf(fieldNodes, fragments));
}

/**
 * Like {@link selectedFields}, for the rows of a page: the selection on its `nodes` and on the `node` of its `edges`. Includes
 * `cursor` where the sort key of a row is needed.
 */
export function selectedOfRows({ fieldNodes, fragments }: SelectedField): ReadonlySet<string> {
  const named = (fields: readonly FieldNode[], name: string): FieldNode[] =>
    fields.filter((field) => field.name.value === name);
  const ofPage = fieldsOf(fieldNodes, fragments);
  const ofEdges = fieldsOf(named(ofPage, 'edges'), fragments);
  const names = new Set(namesOf(fieldsOf([...named(ofPage, 'nodes'), ...named(ofEdges, 'node')], fragments)));
  const isPlaced = named(ofPage, 'pageInfo').length > 0 || named(ofEdges, 'cursor').length > 0;
  return isPlaced ? names.add('cursor') : names;
}

/** The fields selected on these parents. */
function fieldsOf(parents: readonly FieldNode[], fragments: SelectedField['fragments']): FieldNode[] {
  const fields: FieldNode[] = [];
  const seen = new Set<string>();
  const collect = (selections: SelectionSetNode | undefined): void => {
    for (const selection of selections?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        fields.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        collect(fragments[selection.name.value]?.selectionSet);
      }
    }
  };
  for (const { selectionSet } of parents) collect(selectionSet);
  return fields;
}

function namesOf(fields: readonly FieldNode[]): ReadonlySet<string> {
  return new Set(fields.map(({ name }) => name.value));
}

/** Whether any of these fields, or its twin `<name>Float`, is selected. */
export function selectsAny(selected: Selected, names: readonly string[]): boolean {
  return selected === 'ALL' || names.some((name) => selected.has(name) || selected.has(`${name}Float`));
}

/**
 * The columns that the selected fields need. A column that nobody requests would be printed, sent and parsed for every row.
 * @param madeOf columns by the fields that need them; other fields are ignored
 */
export function columnsOfFields<Column>(
  selected: Selected,
  madeOf: Readonly<Record<string, readonly Column[]>>,
): ReadonlySet<Column> {
  const fields = Object.entries(madeOf).filter(([field]) => selectsAny(selected, [field]));
  return new Set(fields.flatMap(([, columns]) => columns));
}
