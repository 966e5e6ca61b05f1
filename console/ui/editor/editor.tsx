import { type ReactNode, lazy, Suspense } from 'react';
import { FieldFrame } from '../fields/text-fields.tsx';
import type { EditorProps } from './code-editor.tsx';
import classes from './editor.module.css';
import { useEditorText } from '../text.ts';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

/** An editor for text and code, loaded when it is first shown. */
export function Editor(props: EditorProps): ReactNode {
  const text = useEditorText();
  const { size = 'small' } = props;
  return (
    <Suspense fallback={<output className={classes.editor} data-size={size} aria-label={text.loading} />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}

interface EditorFieldProps extends EditorProps {
  readonly name: string;
  readonly hint?: ReactNode;
}

/** An editor as a field of a form. */
export function EditorField({ name, hint, ...editor }: EditorFieldProps): ReactNode {
  return (
    <FieldFrame label={editor.label} name={name} hint={hint} isLabelled={false}>
      <Editor {...editor} />
    </FieldFrame>
  );
}
