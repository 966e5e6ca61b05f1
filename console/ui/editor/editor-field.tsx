import type { ReactNode } from 'react';
import { FieldFrame } from '../controls/field-frame.tsx';
import type { EditorProps } from './code-editor.tsx';
import { Editor } from './editor.tsx';

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
