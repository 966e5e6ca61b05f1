import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { changeTo, codeParts, editing, type Fault, indenting, marksOf, readOnly } from './editing.ts';
import classes from './editor.module.css';
import { type EditorLanguage, loadLanguage } from './languages.ts';
import { look } from './look.ts';
import { useEditorText } from './text.ts';

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
    const told = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (docChanged && !transactions.some((each) => each.annotation(fromOutside) === true))
        latest.current.onValueChange?.(state.doc.toString());
    });
    const view = mount(host.current, latest.current.value, [spoken.of([]), set.of([]), editing, look, told]);
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
    const set = [readOnly(isReadOnly), attributes, isProse ? [] : codeParts, isIndented ? indenting : []];
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
