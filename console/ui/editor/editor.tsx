import { lazy, type ReactNode, Suspense } from 'react';
import type { EditorProps } from './code-editor.tsx';
import classes from './editor.module.css';
import { useEditorText } from './text.ts';

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
