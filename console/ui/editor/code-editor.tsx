import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Extension, Annotation, Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, useEffect, useRef } from 'react';
import {
  type EditorLanguage,
  type Fault,
  changeTo,
  codeParts,
  editing,
  indenting,
  loadLanguage,
  marksOf,
  proseParts,
  readOnly,
} from './editing.ts';
import classes from './editor.module.css';
import { useEditorText } from '../text.ts';

/** What an editor is given. */
export interface EditorProps {
  /** Names it for those who do not see it. */
  readonly label: string;
  readonly value: string;
  readonly onValueChange?: (value: string) => void;
  readonly language: EditorLanguage;
  readonly isReadOnly?: boolean;
  /** What is wrong, each at its line. */
  readonly faults?: readonly Fault[];
  /** How tall it is while there is little in it. */
  readonly size?: 'small' | 'large';
}

const NONE: readonly Fault[] = [];
const fromOutside = Annotation.define<boolean>();

/** Makes an editor in a shadow root: its styles are sheets of that root, which the policy of the page allows. */
function mount(host: HTMLElement, doc: string, extensions: Extension): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
  return new EditorView({ parent: root, root, state: EditorState.create({ doc, extensions }) });
}

/** A text that is edited, with colours and marks. A change from outside leaves the cursor where it was. */
export function CodeEditor(props: EditorProps): ReactNode {
  const { label, value, onValueChange, language, isReadOnly = false, faults = NONE, size = 'small' } = props;
  const { leave } = useEditorText();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const parts = useRef({ language: new Compartment(), set: new Compartment() });
  const latest = useRef({ value, onValueChange });
  useEffect(() => {
    latest.current = { value, onValueChange };
  });

  useEffect(() => {
    if (host.current === null) return undefined;
    const { language: spoken, set } = parts.current;
    const listener = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (docChanged && !transactions.some((each) => each.annotation(fromOutside) === true))
        latest.current.onValueChange?.(state.doc.toString());
    });
    const view = mount(host.current, latest.current.value, [spoken.of([]), set.of([]), editing, styling, listener]);
    editor.current = view;
    return () => {
      editor.current = undefined;
      view.destroy();
    };
  }, []);

  useEffect(() => {
    const isFaulty = faults.length > 0;
    const isProse = language === 'markdown' || language === 'plain';
    // Texts and JSON are fields of forms, which Tab goes through.
    const isIndented = !isProse && language !== 'json';
    const attributes = EditorView.contentAttributes.of({
      'aria-label': label,
      // Said in full, because the part around it scrolls and has to be reached by keys.
      tabindex: '0',
      ...(isIndented && { 'aria-description': leave }),
      'aria-readonly': String(isReadOnly),
      'aria-invalid': String(isFaulty),
    });
    const set = [readOnly(isReadOnly), attributes, isProse ? proseParts : codeParts, isIndented ? indenting : []];
    editor.current?.dispatch({ effects: parts.current.set.reconfigure(set) });
  }, [label, leave, isReadOnly, language, faults]);

  useEffect(() => {
    let isLeft = false;
    const load = async () => {
      const spoken = await loadLanguage(language);
      if (!isLeft) editor.current?.dispatch({ effects: parts.current.language.reconfigure(spoken) });
    };
    // A text without colours is a text all the same.
    load().catch(() => undefined);
    return () => {
      isLeft = true;
    };
  }, [language]);

  useEffect(() => {
    const view = editor.current;
    const changes = view && changeTo(view.state.doc.toString(), value);
    if (changes !== undefined) view?.dispatch({ changes, annotations: fromOutside.of(true) });
  }, [value]);

  useEffect(() => {
    const view = editor.current;
    view?.dispatch(marksOf(view.state, faults));
  }, [faults]);

  return (
    <div
      ref={host}
      className={classes.editor}
      data-editor
      data-size={size}
      data-invalid={faults.length > 0 || undefined}
    />
  );
}

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
const styling: Extension = [theme, syntaxHighlighting(colours)];
