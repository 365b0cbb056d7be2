import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { graphql } from 'cm6-graphql';

/** Colours of both themes come from the variables of the pages. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.bool, tags.null], color: 'var(--part-4)' },
  {
    tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)],
    color: 'var(--accent)',
  },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--healthy)' },
  { tag: [tags.number, tags.integer, tags.float], color: 'var(--warning)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: 'var(--text-m)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-panel input, .cm-panel button': { font: 'inherit', color: 'inherit' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    boxShadow: 'var(--shadow)',
    maxWidth: '32rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--panel)',
  },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)' },
});

const BASE: Extension = [basicSetup, syntaxHighlighting(HIGHLIGHT), THEME, EditorView.lineWrapping];

function labelled(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label });
}

/**
 * Opens an editor in a shadow tree: only there CodeMirror hands its styles over as objects. In a document it writes a style element,
 * which the page's policy forbids.
 */
function openEditor(place: Element, text: string, extensions: Extension): EditorView {
  const root = place.attachShadow({ mode: 'open' });
  return new EditorView({ parent: root, root, doc: text, extensions: [extensions, BASE] });
}

interface QueryEditorOptions {
  readonly place: Element;
  readonly text: string;
  readonly onRun: () => void;
  readonly onChange: (text: string) => void;
  /** Called with the name of a type, or of a type and its field, to explain. */
  readonly onExplain: (type: string, field: string | undefined) => void;
}

/** An editor for GraphQL that completes and checks against a schema once `updateSchema` gave it one. */
export function openQueryEditor({ place, text, onRun, onChange, onExplain }: QueryEditorOptions): EditorView {
  const run = { key: 'Mod-Enter', run: () => (onRun(), true) };
  const onShowInDocs = (field?: string, type?: string, parentType?: string): void => {
    const named = parentType ?? type;
    if (named !== undefined) onExplain(named.replace(/[[\]!]/g, ''), field);
  };
  return openEditor(place, text, [
    Prec.highest(keymap.of([run])),
    labelled('Query'),
    graphql(undefined, { onShowInDocs }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ]);
}

/** An editor for JSON, for example of variables. */
export function openJsonEditor(place: Element, label: string, onRun: () => void): EditorView {
  const run = { key: 'Mod-Enter', run: () => (onRun(), true) };
  return openEditor(place, '', [Prec.highest(keymap.of([run])), json(), labelled(label)]);
}

/** Shows JSON that can be folded, searched and copied, but not changed. */
export function openAnswer(place: Element): EditorView {
  return openEditor(place, '', [json(), EditorState.readOnly.of(true), labelled('Answer')]);
}

export function setText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
