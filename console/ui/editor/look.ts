import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// The colours are those of code blocks, which paint without elements.
const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.null, tags.bool],
    color: 'light-dark(#8b1e9b, #d59bf0)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.monospace], color: 'light-dark(#25691f, #9fd08a)' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'light-dark(#5f6672, #9aa3b2)' },
  { tag: [tags.number], color: 'light-dark(#8a4600, #e6b072)' },
  { tag: [tags.typeName, tags.className, tags.link, tags.url], color: 'light-dark(#075e8c, #7cc7ef)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'light-dark(#2449b8, #9db8ff)' },
  { tag: [tags.propertyName, tags.labelName], color: 'light-dark(#7a3b12, #e0b892)' },
  { tag: tags.heading, fontWeight: '620' },
  { tag: tags.strong, fontWeight: '620' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
]);

const theme = EditorView.theme({
  '&': { minHeight: 'inherit', maxHeight: 'inherit', color: 'var(--ink)', fontSize: 'var(--editor-size, 0.8125rem)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { minHeight: 'inherit', fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--ink-soft)', border: 'none' },
  '.cm-activeLineGutter': { background: 'none', color: 'var(--ink)' },
  '.cm-tooltip, .cm-panels': {
    background: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    fontFamily: 'var(--font)',
  },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': { background: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-button': { background: 'var(--sunken)', border: '1px solid var(--line)' },
  '.cm-diagnostic': { overflowWrap: 'anywhere' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-selectionMatch': { background: 'var(--accent-wash)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'var(--accent-wash)' },
});

/** How an editor looks, by the colours of the page, in light and in dark. */
export const look: Extension = [theme, syntaxHighlighting(colours)];
