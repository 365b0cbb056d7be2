import { Kind, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

/**
 * Names of the fields that a query selects of what a resolver answers, through fragments too. A field that a directive
 * leaves out is named all the same: reading too much is no error.
 */
export function selectedFields({
  fieldNodes,
  fragments,
}: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const collect = (selections: SelectionSetNode | undefined): void => {
    for (const selection of selections?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        names.add(selection.name.value);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        collect(fragments[selection.name.value]?.selectionSet);
      }
    }
  };
  for (const { selectionSet } of fieldNodes) collect(selectionSet);
  return names;
}

/** Whether any of these fields, or its twin `<name>Float`, is selected. */
export function selectsAny(selected: ReadonlySet<string>, names: readonly string[]): boolean {
  return names.some((name) => selected.has(name) || selected.has(`${name}Float`));
}
